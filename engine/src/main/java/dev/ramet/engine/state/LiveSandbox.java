// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import dev.ramet.engine.sandboxes.Standstill;
import dev.ramet.engine.space.StandstillSlot;
import dev.ramet.engine.support.Remedies;
import dev.ramet.engine.tracking.TrackerSlot;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.RunningVm;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The state of a sandbox in this process: its manifest as last written, its machine, and the
 * exclusive right to change it, which one operation holds at a time. Thread-safe.
 */
public final class LiveSandbox {
  // A semaphore instead of a lock with an owner: an operation may hand its hold to the thread that
  // finishes it.
  private final Semaphore free = new Semaphore(1, true);
  private final TrackerSlot tracking = new TrackerSlot();
  private final StandstillSlot standstill = new StandstillSlot();

  /** Held while the manifest is replaced, so that the last one written matches {@link #saved}. */
  private final Object writing = new Object();

  private volatile SandboxRecord saved;
  private volatile @Nullable RunningVm machine;
  private volatile String busyWith = "";
  private volatile boolean leaving;
  private volatile @Nullable SizeCount counted;

  public LiveSandbox(SandboxRecord saved, @Nullable RunningVm machine) {
    this.saved = saved;
    this.machine = machine;
  }

  public String id() {
    return saved.id();
  }

  public SandboxRecord saved() {
    return saved;
  }

  public @Nullable RunningVm machine() {
    return machine;
  }

  /** Returns the memory tracker of its machine; only for the operation that holds the sandbox. */
  public TrackerSlot tracking() {
    return tracking;
  }

  /** Returns the machine, or throws an error that says why there is none. */
  public RunningVm runningMachine() {
    RunningVm vm = machine;
    SandboxRecord now = saved;
    if (vm == null || now.state() != SandboxRecord.State.RUNNING) {
      String why = now.detail() == null ? "" : ": " + now.detail();
      throw new RametException(
          ErrorCode.CONFLICT,
          "sandbox "
              + now.id()
              + " is not running; it is "
              + now.state().name().toLowerCase(java.util.Locale.ROOT)
              + why,
          remedy(now.state()),
          null);
    }
    Standstill still = standstill.holds(vm) ? standstill.of(vm) : null;
    if (still != null) {
      throw still.error(now.id());
    }
    return vm;
  }

  /** Returns the machine if its guest can answer, or throws an error that says why it cannot. */
  public RunningVm answeringMachine() {
    RunningVm vm = runningMachine();
    Standstill still = standstill.of(vm);
    if (still != null) {
      throw still.error(id());
    }
    return vm;
  }

  /** Holds the pause of a machine that the host has stopped for lack of space. */
  public StandstillSlot standstillSlot() {
    return standstill;
  }

  /** Returns why its machine stands still, or null if it does not. */
  public @Nullable Standstill standstill() {
    RunningVm vm = machine;
    return vm == null || saved.state() != SandboxRecord.State.RUNNING ? null : standstill.of(vm);
  }

  /** Returns since when its machine's hypervisor does not answer, for people; null if it does. */
  public @Nullable String silence() {
    return standstill.silence(machine);
  }

  private static @Nullable String remedy(SandboxRecord.State state) {
    return switch (state) {
      case FAILED -> Remedies.MACHINE_ENDED;
      case PAUSED -> "resume it first";
      case CREATING, RUNNING, KILLED -> null;
    };
  }

  /**
   * The number of bytes that a snapshot shared with nobody.
   *
   * @param snapshotId the snapshot
   * @param exclusiveBytes the bytes at the time they were counted
   */
  public record SizeCount(String snapshotId, long exclusiveBytes) {}

  /** Returns the last count for one of its snapshots; null when none was made yet. */
  public @Nullable SizeCount lastCount() {
    return counted;
  }

  public void setLastCount(SizeCount now) {
    counted = now;
  }

  /** Returns whether it is about to be paused, so that no more requests may be sent to it. */
  public boolean isPausing() {
    return leaving;
  }

  public void setPausing(boolean now) {
    leaving = now;
  }

  /** Replaces the manifest on disk. */
  public interface Manifest {
    /** Writes the manifest. */
    void write(SandboxRecord record) throws IOException;
  }

  public synchronized void transition(SandboxRecord record, @Nullable RunningVm vm) {
    saved = record;
    machine = vm;
  }

  /** Writes a new manifest, then changes the sandbox's state to match it. */
  public void transition(SandboxRecord record, @Nullable RunningVm vm, Manifest manifest)
      throws IOException {
    synchronized (writing) {
      manifest.write(record);
      transition(record, vm);
    }
  }

  /**
   * Writes and applies a change that does not concern the machine, which may end at any time
   * meanwhile.
   */
  public void updateRecord(UnaryOperator<SandboxRecord> change, Manifest manifest)
      throws IOException {
    synchronized (writing) {
      transition(change.apply(saved), machine, manifest);
    }
  }

  /**
   * Records that a machine has ended by itself.
   *
   * @return whether it was still the current machine, so that the manifest has to be written
   */
  public boolean markExited(RunningVm vm, String why) {
    synchronized (writing) {
      if (machine != vm || saved.state() != SandboxRecord.State.RUNNING) {
        return false;
      }
      transition(saved.withState(SandboxRecord.State.FAILED, why), null);
      return true;
    }
  }

  /** Writes the manifest for the current state. */
  public void write(Manifest manifest) throws IOException {
    synchronized (writing) {
      manifest.write(saved);
    }
  }

  /** The exclusive right to change a sandbox; closing it releases the right. */
  public final class Hold implements AutoCloseable {
    private boolean held = true;

    private Hold() {}

    @Override
    public void close() {
      if (held) {
        held = false;
        busyWith = "";
        free.release();
      }
    }
  }

  /** Returns whether an operation holds the sandbox. */
  public boolean isHeld() {
    return free.availablePermits() == 0;
  }

  /**
   * Takes the right to change the sandbox, or throws an error that names the operation under way.
   */
  public Hold acquire(String operation) {
    if (!free.tryAcquire()) {
      throw busyError();
    }
    busyWith = operation;
    return new Hold();
  }

  /**
   * Takes the right to change the sandbox, waiting for the operation under way for a limited time.
   */
  public Hold acquire(String operation, Duration patience) {
    try {
      if (!free.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        throw busyError();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RametException(ErrorCode.CANCELLED, "interrupted while waiting for " + id(), e);
    }
    busyWith = operation;
    return new Hold();
  }

  private RametException busyError() {
    return new RametException(
        ErrorCode.CONFLICT,
        "sandbox " + id() + " is busy: " + busyWith + " is under way",
        "try again when that is done",
        null);
  }
}
