// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.DiskWriteLog;
import dev.ramet.spi.hypervisor.DiskWrites;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavingVm;
import dev.ramet.spi.hypervisor.VmExit;
import dev.ramet.spi.hypervisor.VmIdentity;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.storage.WriteLog;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A machine in QEMU. Thread-safe; one pause at a time. */
final class QemuVm implements RunningVm, DiskWrites, DiskWriteLog {
  /** For calls without their own deadline: far more than any of them takes on a busy host. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  /** To take back a stop that was not confirmed. */
  private static final Duration UNDO = Duration.ofSeconds(2);

  /** For operations that a paused machine can do without, see {@link #takeWrites}. */
  private static final Duration PAUSE = Duration.ofSeconds(1);

  /** Writing zeros counts as writing. */
  private static final List<String> WRITES =
      List.of(
          "wr_operations", "failed_wr_operations", "unmap_operations", "failed_unmap_operations");

  private final VmSpec spec;
  private final VmIdentity identity;
  private final String ramPath;
  private final Machine machine;
  private final DirtyBitmaps bitmaps;

  /** Names the pause under way: one that was taken back has no say in a later one. */
  private final AtomicReference<@Nullable Object> pause = new AtomicReference<>();

  private final Map<Integer, Integer> forwards = new HashMap<>();

  /**
   * Creates a machine.
   *
   * @param ramPath the file of main memory, as the kernel shows its mapping
   */
  QemuVm(VmSpec spec, VmIdentity identity, String ramPath, Machine machine) {
    this.spec = spec;
    this.identity = identity;
    this.ramPath = ramPath;
    this.machine = machine;
    this.bitmaps = new DirtyBitmaps(machine, spec.disks());
    spec.network().guestPorts().forEach(p -> forwards.put(p, HostPorts.hostPort(p)));
  }

  Machine machine() {
    return machine;
  }

  @Override
  public VmSpec spec() {
    return spec;
  }

  @Override
  public VmIdentity identity() {
    return identity;
  }

  @Override
  public long pid() {
    return machine.process().pid();
  }

  /** {@code CONFLICT} while it is paused already. */
  @Override
  public PausedVm pause() {
    Object token = claimPause();
    awaitStop(beginStop(token), token);
    return new QemuPausedVm(this, token);
  }

  /** {@code CONFLICT} while it is paused already. */
  @Override
  public SavingVm pauseAndSave(Path directory) {
    Object token = claimPause();
    Qmp.Answer stop = beginStop(token);
    DeviceSave save;
    try {
      save = DeviceSave.begin(machine, directory);
    } catch (RametException e) {
      throw undoStop(e, token);
    }
    try {
      awaitStop(stop, token);
    } catch (RametException e) {
      save.discard();
      throw e;
    }
    return new QemuSavingVm(this, token, save);
  }

  private Qmp.Answer beginStop(Object token) {
    try {
      return machine.begin("stop", Qmp.JSON.createObjectNode(), Deadline.after(PATIENCE));
    } catch (RametException e) {
      throw undoStop(e, token);
    }
  }

  private void awaitStop(Qmp.Answer stop, Object token) {
    try {
      machine.awaitAwake(stop, Deadline.after(PATIENCE));
    } catch (RametException e) {
      throw undoStop(e, token);
    }
  }

  private RametException undoStop(RametException e, Object token) {
    if (!machine.ended()) {
      try {
        // Commands are worked off in order: this also undoes a stop that comes late.
        Uninterrupted.run(() -> machine.execute("cont", Deadline.after(UNDO)));
      } catch (RametException again) {
        e.addSuppressed(again);
      }
    }
    endPause(token);
    return e;
  }

  /** Begins the pause of a machine that is paused already. */
  QemuPausedVm beginPause() {
    return new QemuPausedVm(this, claimPause());
  }

  private Object claimPause() {
    Object token = new Object();
    if (!pause.compareAndSet(null, token)) {
      throw new RametException(ErrorCode.CONFLICT, "the machine is paused: " + spec.name());
    }
    machine.hush();
    return token;
  }

  /** Returns whether this is the current pause. */
  boolean pauses(Object token) {
    return pause.get() == token;
  }

  void endPause(Object token) {
    if (pause.compareAndSet(token, null)) {
      machine.unhush();
    }
  }

  /** Ends a pause that has lost its owner, if there is one. */
  void takeBackPause(Deadline deadline) {
    Object token = pause.get();
    try {
      machine.letRun(deadline);
    } finally {
      // Nobody owns the pause any more, so it must not block another one.
      if (token != null) {
        endPause(token);
      }
    }
  }

  @Override
  public GuestMemory memory() {
    return GuestMaps.read(pid(), ramPath, spec.memoryBytes());
  }

  /** {@code CONFLICT} when another process has the host's address. */
  @Override
  public InetSocketAddress forward(int guestPort) {
    if (guestPort < 1 || guestPort > 65_535) {
      throw RametException.invalid("guestPort", "not a port: " + guestPort);
    }
    synchronized (forwards) {
      Integer known = forwards.get(guestPort);
      int hostPort = known == null ? HostPorts.hostPort(guestPort) : known;
      if (known == null) {
        addForward(guestPort, hostPort);
        forwards.put(guestPort, hostPort);
      }
      return new InetSocketAddress(spec.network().hostAddress(), hostPort);
    }
  }

  private void addForward(int guestPort, int hostPort) {
    String rule = CommandLine.forward(spec.network(), guestPort, hostPort);
    String answer = human("hostfwd_add net0 " + rule);
    if (!answer.isEmpty()) {
      // An earlier process of this host may have created the forwarding; then it is replaced.
      human("hostfwd_remove net0 tcp:" + spec.network().hostAddress() + ":" + hostPort);
      answer = human("hostfwd_add net0 " + rule);
    }
    if (!answer.isEmpty()) {
      throw HostPorts.taken(spec.network().hostAddress(), hostPort)
          ? taken(spec.network().hostAddress(), hostPort)
          : new RametException(ErrorCode.HYPERVISOR_FAILED, "QEMU: " + answer.strip());
    }
  }

  static RametException taken(String address, int port) {
    return new RametException(
        ErrorCode.CONFLICT,
        "another process listens on " + address + ":" + port,
        "use another loopback address",
        null);
  }

  /** Runs a command of the human monitor and returns its output. */
  private String human(String line) {
    ObjectNode arguments = Qmp.JSON.createObjectNode();
    arguments.put("command-line", line);
    return machine.execute("human-monitor-command", arguments, Deadline.after(PATIENCE)).asText();
  }

  /** Sums up what {@code query-blockstats} counts of all disks (qapi/block-core.json). */
  @Override
  public long diskWrites() {
    long writes = 0;
    for (JsonNode disk : machine.execute("query-blockstats", Deadline.after(PATIENCE))) {
      for (String count : WRITES) {
        writes += disk.path("stats").path(count).asLong();
      }
    }
    return writes;
  }

  /**
   * {@inheritDoc} In a pause the deadline is short: the caller can instead search for what was
   * written, which takes about as long at worst.
   */
  @Override
  public WriteLog.Written takeWrites(int disk) {
    return bitmaps.take(disk, pause.get() == null ? PATIENCE : PAUSE);
  }

  @Override
  public CompletionStage<VmExit> exit() {
    return machine.exit().minimalCompletionStage();
  }

  @Override
  public void kill(Duration timeout) {
    machine.kill(Deadline.after(timeout));
  }
}
