// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.hypervisors.qemu.monitor.Deadline;
import dev.ramet.hypervisors.qemu.monitor.Qmp;
import dev.ramet.hypervisors.qemu.monitor.QmpException;
import dev.ramet.hypervisors.qemu.program.VmFiles;
import dev.ramet.spi.hypervisor.VmExit;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A QEMU process and its monitor connection, shared by the driver's running and paused machines.
 * Thread-safe.
 */
public final class Machine {
  /** The longest wait from the end of the connection to the exit of the process that closed it. */
  private static final long LAST_BREATH_MILLIS = 2000;

  private static final long LAST_BREATH_POLL_NANOS = 100_000;

  private final VmFiles files;
  private final VmProcess process;
  private final CompletableFuture<VmExit> exit = new CompletableFuture<>();
  private final DiskStops diskStops = new DiskStops(this);
  private volatile Qmp monitor;
  private volatile boolean killed;
  private volatile boolean released;

  public Machine(VmFiles files, VmProcess process, Qmp monitor) {
    this.files = files;
    this.process = process;
    this.monitor = monitor;
    diskStops.follow(monitor);
    // The connection normally ends first. The process exit covers a connection that was closed
    // before.
    monitor.whenEnded(this::onDisconnect);
    process.whenEnded(this::onEnd);
  }

  public VmFiles files() {
    return files;
  }

  public VmProcess process() {
    return process;
  }

  public DiskStops diskStops() {
    return diskStops;
  }

  public CompletableFuture<VmExit> exit() {
    return exit;
  }

  public boolean hasEnded() {
    return exit.isDone() || !process.alive();
  }

  /** Runs a command without arguments and returns its result. */
  public JsonNode execute(String command, Deadline deadline) {
    return execute(command, Qmp.JSON.createObjectNode(), deadline);
  }

  /**
   * Runs a command and returns its result; an error includes the logs if the machine has exited.
   */
  public JsonNode execute(String command, ObjectNode arguments, Deadline deadline) {
    return await(send(command, arguments, deadline), deadline);
  }

  /** Sends a command without waiting for its answer. */
  public Qmp.PendingReply send(String command, ObjectNode arguments, Deadline deadline) {
    try {
      return monitor(deadline).send(command, arguments, deadline);
    } catch (QmpException e) {
      throw failure(files, e);
    }
  }

  /** Waits for an answer; an error includes the logs if the machine has exited. */
  JsonNode await(Qmp.PendingReply answer, Deadline deadline) {
    try {
      return answer.await(deadline);
    } catch (QmpException e) {
      throw failure(files, e);
    }
  }

  /** Waits for an answer without sleeping at first, because a machine is paused meanwhile. */
  public JsonNode awaitAwake(Qmp.PendingReply answer, Deadline deadline) {
    try {
      return answer.awaitAwake(deadline);
    } catch (QmpException e) {
      throw failure(files, e);
    }
  }

  /**
   * Speeds up answers for threads that wait without sleeping and delays all others, see {@link
   * Qmp#deferWakeups}.
   */
  public void deferWakeups() {
    monitor.deferWakeups();
  }

  public void resumeWakeups() {
    monitor.resumeWakeups();
  }

  /**
   * Returns a future for the next event of this name with one of these values of {@code status}.
   * Call it before causing the event.
   */
  public CompletableFuture<JsonNode> event(String name, String... statuses) {
    return monitor.nextEvent(name, Set.of(statuses));
  }

  /** Waits for an event. */
  public JsonNode await(CompletableFuture<JsonNode> event, Deadline deadline) {
    try {
      return deadline.await(event, "an event");
    } catch (QmpException e) {
      throw failure(files, e);
    }
  }

  /**
   * Resumes the machine if it is paused and deletes the state file of a pause that was never ended.
   * A machine that a disk error has stopped stays so.
   */
  public void resumeMachine(Deadline deadline) {
    JsonNode state = execute("query-status", deadline);
    if (!state.path("running").asBoolean() && !state.path("status").asText().equals("io-error")) {
      execute("cont", deadline);
    }
    // QEMU executes commands in order, so everything begun during the pause is done by now.
    VmFiles.delete(files.directory().resolve(VmFiles.STATE));
  }

  /** Closes the connection; the machine keeps running. */
  public void disconnect() {
    released = true;
    monitor.close();
  }

  /** Kills the machine, waits until it is gone and deletes the files that only a live one needs. */
  public void kill(Deadline deadline) {
    if (!exit.isDone()) {
      killed = true;
    }
    process.kill(deadline);
    onEnd();
    monitor.close();
    files.removeSockets();
  }

  /** Translates a failed command into the driver's error. */
  public static RametException failure(VmFiles files, QmpException e) {
    return switch (e.kind()) {
      case TIMEOUT -> new RametException(ErrorCode.DEADLINE_EXCEEDED, message(files, e), e);
      case INTERRUPTED -> new RametException(ErrorCode.CANCELLED, message(files, e), e);
      case REFUSED -> new RametException(ErrorCode.HYPERVISOR_FAILED, message(files, e), e);
      case CLOSED ->
          new RametException(ErrorCode.HYPERVISOR_FAILED, message(files, e) + files.tails(), e);
    };
  }

  private static String message(VmFiles files, QmpException e) {
    return "QEMU in " + files.directory() + ": " + e.getMessage();
  }

  /** Returns the connection, reconnecting if it broke while the process lives. */
  private Qmp monitor(Deadline deadline) throws QmpException {
    Qmp current = monitor;
    return current.open() || !process.alive() ? current : reconnect(current, deadline);
  }

  private synchronized Qmp reconnect(Qmp broken, Deadline deadline) throws QmpException {
    if (monitor == broken) {
      Qmp next =
          Qmp.connect(files.socket(VmFiles.MONITOR, process.pid()), process::alive, deadline);
      next.whenEnded(this::onDisconnect);
      diskStops.follow(next);
      monitor = next;
    }
    return monitor;
  }

  private void onDisconnect() {
    Deadline lastBreath = Deadline.after(Duration.ofMillis(LAST_BREATH_MILLIS));
    while (process.alive()) {
      if (released || lastBreath.passed() || exit.isDone()) {
        return; // Only the connection ended; the exit of the process is still watched.
      }
      LockSupport.parkNanos(LAST_BREATH_POLL_NANOS);
    }
    onEnd();
  }

  private void onEnd() {
    if (exit.isDone()) {
      return;
    }
    @Nullable String tails = killed ? null : files.tails();
    exit.complete(
        new VmExit(killed, tails == null ? "killed" : "QEMU exited without being asked" + tails));
  }
}
