// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import dev.ramet.engine.support.Remedies;
import dev.ramet.engine.tracking.Tracking;
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
 * A sandbox in this process: its manifest as last written, its machine, and the right to change it,
 * which one operation holds at a time. Thread-safe.
 */
public final class LiveSandbox {
  // Not a lock with an owner: an operation may hand its hold to the thread that finishes it.
  private final Semaphore free = new Semaphore(1, true);
  private final Tracking tracking = new Tracking();

  /** Held while its manifest is replaced: the last one written says what it is. */
  private final Object writing = new Object();

  private volatile SandboxRecord saved;
  private volatile @Nullable RunningVm machine;
  private volatile String busyWith = "";
  private volatile boolean leaving;
  private volatile @Nullable Counted counted;

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

  /** The memory tracker of its machine; for whoever holds the sandbox. */
  public Tracking tracking() {
    return tracking;
  }

  /** The machine, or the reason why there is none. */
  public RunningVm runningMachine() {
    RunningVm vm = machine;
    SandboxRecord now = saved;
    if (vm == null || now.state() != SandboxRecord.State.RUNNING) {
      String why = now.detail() == null ? "" : ": " + now.detail();
      throw new RametException(
          ErrorCode.CONFLICT,
          "sandbox "
              + now.id()
              + " is not running but "
              + now.state().name().toLowerCase(java.util.Locale.ROOT)
              + why,
          remedy(now.state()),
          null);
    }
    return vm;
  }

  private static @Nullable String remedy(SandboxRecord.State state) {
    return switch (state) {
      case FAILED -> Remedies.MACHINE_ENDED;
      case PAUSED -> "resume it first";
      case CREATING, RUNNING, KILLED -> null;
    };
  }

  /**
   * What of a snapshot was shared with nobody.
   *
   * @param snapshotId the snapshot
   * @param exclusiveBytes when that was counted
   */
  public record Counted(String snapshotId, long exclusiveBytes) {}

  /** What was counted last of one of its snapshots; null for nothing yet. */
  public @Nullable Counted counted() {
    return counted;
  }

  public void counted(Counted now) {
    counted = now;
  }

  /** Whether it is about to be paused: no more requests are to go there. */
  public boolean leaving() {
    return leaving;
  }

  public void leaving(boolean now) {
    leaving = now;
  }

  /** Replaces the manifest on disk. */
  public interface Manifest {
    /** Writes it. */
    void write(SandboxRecord record) throws IOException;
  }

  public synchronized void becomes(SandboxRecord record, @Nullable RunningVm vm) {
    saved = record;
    machine = vm;
  }

  /** Is written down as something else, and becomes that. */
  public void becomes(SandboxRecord record, @Nullable RunningVm vm, Manifest manifest)
      throws IOException {
    synchronized (writing) {
      manifest.write(record);
      becomes(record, vm);
    }
  }

  /**
   * Has something about it written down and changed that its machine has nothing to do with, which
   * may end by itself at any time.
   */
  public void revise(UnaryOperator<SandboxRecord> change, Manifest manifest) throws IOException {
    synchronized (writing) {
      becomes(change.apply(saved), machine, manifest);
    }
  }

  /**
   * Its machine has ended by itself.
   *
   * @return whether that was still the current one, so that something has to be written down
   */
  public boolean died(RunningVm vm, String why) {
    synchronized (writing) {
      if (machine != vm || saved.state() != SandboxRecord.State.RUNNING) {
        return false;
      }
      becomes(saved.in(SandboxRecord.State.FAILED, why), null);
      return true;
    }
  }

  /** Has what it is now written down. */
  public void write(Manifest manifest) throws IOException {
    synchronized (writing) {
      manifest.write(saved);
    }
  }

  /** The right to change a sandbox; closing gives it back. */
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

  /** Whether an operation is under way. */
  public boolean held() {
    return free.availablePermits() == 0;
  }

  /** Takes the right to change it, or says what it is busy with. */
  public Hold hold(String operation) {
    if (!free.tryAcquire()) {
      throw busy();
    }
    busyWith = operation;
    return new Hold();
  }

  /** The same, waiting for the operation under way. */
  public Hold hold(String operation, Duration patience) {
    try {
      if (!free.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        throw busy();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RametException(ErrorCode.CANCELLED, "interrupted while waiting for " + id(), e);
    }
    busyWith = operation;
    return new Hold();
  }

  private RametException busy() {
    return new RametException(
        ErrorCode.CONFLICT,
        "sandbox " + id() + " is busy: " + busyWith + " is under way",
        "try again when it has ended",
        null);
  }
}
