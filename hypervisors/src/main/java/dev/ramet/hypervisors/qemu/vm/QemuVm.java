// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.vm;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.hypervisors.qemu.monitor.Deadline;
import dev.ramet.hypervisors.qemu.monitor.Qmp;
import dev.ramet.hypervisors.qemu.process.Machine;
import dev.ramet.hypervisors.qemu.program.SpecChecks;
import dev.ramet.spi.hypervisor.Disk;
import dev.ramet.spi.hypervisor.DiskWriteLog;
import dev.ramet.spi.hypervisor.DiskWrites;
import dev.ramet.spi.hypervisor.EgressPoint;
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
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A running machine in QEMU. Thread-safe; allows one pause at a time. */
public class QemuVm implements RunningVm, DiskWrites, DiskWriteLog {
  /**
   * Time limit for calls that take no deadline; far longer than any of them takes on a busy host.
   */
  public static final Duration TIMEOUT = Duration.ofSeconds(30);

  /** Time limit for undoing a stop that QEMU did not confirm. */
  private static final Duration UNDO = Duration.ofSeconds(2);

  /** Time limit for optional work on a paused machine, see {@link #takeWrites}. */
  private static final Duration PAUSE = Duration.ofSeconds(1);

  /** The counters of all writes and discards; QEMU counts writing zeros as a write. */
  private static final List<String> WRITES =
      List.of(
          "wr_operations", "failed_wr_operations", "unmap_operations", "failed_unmap_operations");

  private final VmSpec spec;
  private final VmIdentity identity;
  private final String ramPath;
  private final Machine machine;
  private final DirtyBitmaps bitmaps;

  /** Identifies the current pause, so that a pause already taken back cannot end a later one. */
  private final AtomicReference<@Nullable Object> pause = new AtomicReference<>();

  private final PortForwards forwards;

  /**
   * Creates a running machine.
   *
   * @param ramPath the file of main memory, as the kernel shows its mapping
   */
  QemuVm(VmSpec spec, VmIdentity identity, String ramPath, Machine machine) {
    this.spec = spec;
    this.identity = identity;
    this.ramPath = ramPath;
    this.machine = machine;
    this.bitmaps = new DirtyBitmaps(machine, spec.disks().stream().map(Disk::image).toList());
    this.forwards = new PortForwards(SpecChecks.network(spec), machine);
  }

  public final Machine machine() {
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

  /** Pauses the machine. Throws {@code CONFLICT} if it is already paused. */
  @Override
  public PausedVm pause() {
    Object token = claimPause();
    awaitStop(beginStop(token), token);
    return new QemuPausedVm(this, token);
  }

  /**
   * Pauses the machine and starts saving its devices. Throws {@code CONFLICT} if it is already
   * paused.
   */
  @Override
  public SavingVm pauseAndSave(Path directory) {
    Object token = claimPause();
    Qmp.PendingReply stop = beginStop(token);
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

  private Qmp.PendingReply beginStop(Object token) {
    try {
      return machine.send("stop", Qmp.JSON.createObjectNode(), Deadline.after(TIMEOUT));
    } catch (RametException e) {
      throw undoStop(e, token);
    }
  }

  private void awaitStop(Qmp.PendingReply stop, Object token) {
    try {
      machine.awaitAwake(stop, Deadline.after(TIMEOUT));
    } catch (RametException e) {
      throw undoStop(e, token);
    }
  }

  private RametException undoStop(RametException e, Object token) {
    if (!machine.hasEnded()) {
      try {
        // QEMU executes commands in order, so this also undoes a stop that takes effect late.
        UninterruptedRunner.run(() -> machine.execute("cont", Deadline.after(UNDO)));
      } catch (RametException again) {
        e.addSuppressed(again);
      }
    }
    endPause(token);
    return e;
  }

  /** Begins a pause of a machine whose virtual CPUs are already stopped. */
  QemuPausedVm beginPause() {
    return new QemuPausedVm(this, claimPause());
  }

  final Object claimPause() {
    Object token = new Object();
    if (!pause.compareAndSet(null, token)) {
      throw new RametException(ErrorCode.CONFLICT, "the machine is paused: " + spec.name());
    }
    machine.deferWakeups();
    return token;
  }

  /** Returns whether this token belongs to the current pause. */
  final boolean isPausedBy(Object token) {
    return pause.get() == token;
  }

  /** Returns whether somebody has paused the machine. */
  final boolean isPaused() {
    return pause.get() != null;
  }

  final void endPause(Object token) {
    if (pause.compareAndSet(token, null)) {
      machine.resumeWakeups();
    }
  }

  /** Ends the current pause, if there is one, after its holder was lost. */
  public void takeBackPause(Deadline deadline) {
    Object token = pause.get();
    try {
      machine.resumeMachine(deadline);
    } finally {
      // Even if the machine did not resume, nobody holds this pause, so it must not block another
      // one.
      if (token != null) {
        endPause(token);
      }
    }
  }

  @Override
  public GuestMemory memory() {
    return GuestMaps.read(pid(), ramPath, spec.memoryBytes());
  }

  /**
   * Returns the host address of a guest port. Throws {@code CONFLICT} when another process listens
   * on that address.
   */
  @Override
  public InetSocketAddress endpoint(int guestPort) {
    return forwards.endpoint(guestPort);
  }

  /** {@inheritDoc} User networking is part of the process. */
  @Override
  public EgressPoint egress() {
    return new EgressPoint.Process(pid());
  }

  /** Adds up the write counters of all disks in {@code query-blockstats} (qapi/block-core.json). */
  @Override
  public long diskWrites() {
    long writes = 0;
    for (JsonNode disk : machine.execute("query-blockstats", Deadline.after(TIMEOUT))) {
      for (String count : WRITES) {
        writes += disk.path("stats").path(count).asLong();
      }
    }
    return writes;
  }

  /**
   * {@inheritDoc}
   *
   * <p>The time limit is shorter during a pause: without the log the caller can compare the disks
   * instead, which takes about as long in the worst case.
   */
  @Override
  public WriteLog.Written takeWrites(int disk) {
    return bitmaps.take(disk, pause.get() == null ? TIMEOUT : PAUSE);
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
