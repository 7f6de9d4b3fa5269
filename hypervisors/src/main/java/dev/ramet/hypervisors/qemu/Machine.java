// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.VmExit;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A QEMU process and the connection to its monitor, shared by the driver's running and paused
 * machines. Thread-safe.
 */
final class Machine {
  /** From the end of the connection to the end of the process that closed it. */
  private static final long LAST_BREATH_MILLIS = 2000;

  private static final long LAST_BREATH_POLL_NANOS = 100_000;

  private final VmFiles files;
  private final VmProcess process;
  private final CompletableFuture<VmExit> exit = new CompletableFuture<>();
  private volatile Qmp monitor;
  private volatile boolean killed;
  private volatile boolean released;

  Machine(VmFiles files, VmProcess process, Qmp monitor) {
    this.files = files;
    this.process = process;
    this.monitor = monitor;
    // The end of the connection comes first; the process's own end is for a connection that was
    // given up.
    monitor.whenEnded(this::onDisconnect);
    process.whenEnded(this::onEnd);
  }

  VmFiles files() {
    return files;
  }

  VmProcess process() {
    return process;
  }

  CompletableFuture<VmExit> exit() {
    return exit;
  }

  boolean ended() {
    return exit.isDone() || !process.alive();
  }

  /** Runs a command without arguments. */
  JsonNode execute(String command, Deadline deadline) {
    return execute(command, Qmp.JSON.createObjectNode(), deadline);
  }

  /** Runs a command; an error includes what became of the machine. */
  JsonNode execute(String command, ObjectNode arguments, Deadline deadline) {
    return await(begin(command, arguments, deadline), deadline);
  }

  /** Sends a command, to wait for its answer later. */
  Qmp.Answer begin(String command, ObjectNode arguments, Deadline deadline) {
    try {
      return monitor(deadline).begin(command, arguments, deadline);
    } catch (QmpException e) {
      throw failure(files, e);
    }
  }

  /** Waits for an answer; an error includes what became of the machine. */
  JsonNode await(Qmp.Answer answer, Deadline deadline) {
    try {
      return answer.await(deadline);
    } catch (QmpException e) {
      throw failure(files, e);
    }
  }

  /** Waits for an answer while a machine is paused for it. */
  JsonNode awaitAwake(Qmp.Answer answer, Deadline deadline) {
    try {
      return answer.awaitAwake(deadline);
    } catch (QmpException e) {
      throw failure(files, e);
    }
  }

  /**
   * Makes answers fast for callers that poll for them, and slow for others: see {@link Qmp#hush}.
   */
  void hush() {
    monitor.hush();
  }

  void unhush() {
    monitor.unhush();
  }

  /**
   * Returns the next event of this name whose {@code status} is one of these; ask before causing
   * it.
   */
  CompletableFuture<JsonNode> event(String name, String... statuses) {
    return monitor.nextEvent(name, Set.of(statuses));
  }

  /** Waits for an event. */
  JsonNode await(CompletableFuture<JsonNode> event, Deadline deadline) {
    try {
      return Qmp.await(event, deadline, "an event");
    } catch (QmpException e) {
      throw failure(files, e);
    }
  }

  /** Resumes the machine if it is paused, and removes what an abandoned pause left behind. */
  void letRun(Deadline deadline) {
    if (!execute("query-status", deadline).path("running").asBoolean()) {
      execute("cont", deadline);
    }
    // The answers came after whatever was begun in the pause.
    VmFiles.delete(files.directory().resolve(VmFiles.STATE));
  }

  /** Gives up the connection; the machine runs on. */
  void disconnect() {
    released = true;
    monitor.close();
  }

  /** Ends the machine, waits until it is gone and removes the files that only a running one has. */
  void kill(Deadline deadline) {
    if (!exit.isDone()) {
      killed = true;
    }
    process.kill(deadline);
    onEnd();
    monitor.close();
    files.removeSockets();
  }

  /** Translates why a command has no result. */
  static RametException failure(VmFiles files, QmpException e) {
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

  /** Returns the connection, which is opened again if it broke although the process lives. */
  private Qmp monitor(Deadline deadline) throws QmpException {
    Qmp current = monitor;
    return current.open() || !process.alive() ? current : reconnect(current, deadline);
  }

  private synchronized Qmp reconnect(Qmp broken, Deadline deadline) throws QmpException {
    if (monitor == broken) {
      Qmp next =
          Qmp.connect(files.socket(VmFiles.MONITOR, process.pid()), process::alive, deadline);
      next.whenEnded(this::onDisconnect);
      monitor = next;
    }
    return monitor;
  }

  private void onDisconnect() {
    Deadline lastBreath = Deadline.after(Duration.ofMillis(LAST_BREATH_MILLIS));
    while (process.alive()) {
      if (released || lastBreath.passed() || exit.isDone()) {
        return; // Only the connection ended; the process's own end is still awaited.
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
    exit.complete(new VmExit(killed, tails == null ? "killed" : "QEMU ended by itself" + tails));
  }
}
