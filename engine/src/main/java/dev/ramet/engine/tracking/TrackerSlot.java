// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.tracking;

import dev.ramet.engine.snapshots.ModeRefusal;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.pluginhost.guard.Capability;
import dev.ramet.spi.hypervisor.DiskWrites;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.LiveTracker;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory tracker of one sandbox's machine. A tracker that can tell what changed since its last
 * capture is kept from capture to capture, together with the id of the resulting snapshot, because
 * its next selection fits only that snapshot's memory image. If a tracker could not be kept, the
 * reason is remembered as long as it matters. Used by the thread that holds the sandbox.
 */
public final class TrackerSlot implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(TrackerSlot.class.getName());

  private @Nullable Kept kept;
  private @Nullable Missing missing;

  public TrackerSlot() {}

  /**
   * A tracker between two captures.
   *
   * @param mode its mode
   * @param vm the VM whose memory it tracks
   * @param tracker the tracker
   * @param snapshotId the snapshot that holds its last committed selection
   * @param diskWrites the count of {@link DiskWrites} before that capture, or -1
   */
  private record Kept(
      OpenMode mode, RunningVm vm, MemoryTracker tracker, String snapshotId, long diskWrites) {}

  /**
   * Why a tracker of this machine cannot know what changed.
   *
   * @param vm the machine
   * @param gap the reason
   */
  private record Missing(RunningVm vm, TrackingGap gap) {}

  /** Records that a machine was captured before, but its tracker no longer exists. */
  public void recordMissingTracker(RunningVm vm, TrackingGap gap) {
    missing = new Missing(vm, gap);
  }

  /**
   * Takes the kept tracker for a capture if its mode and machine match. Otherwise discards it,
   * because this capture intervenes, and attaches a new one.
   *
   * @throws RametException when the mode cannot track this machine
   */
  public Use takeForCapture(OpenMode mode, RunningVm vm) {
    Kept before = kept;
    if (before != null && before.vm() == vm && before.mode().id().equals(mode.id())) {
      return startUsing(before);
    }
    if (before != null && before.vm() == vm) {
      missing = new Missing(vm, TrackingGap.interrupted(mode.id(), before.snapshotId()));
    }
    giveUp();
    return startUsing(new Kept(mode, vm, mode.mode().attach(vm.memory()), "", -1));
  }

  /**
   * Begins to use a tracker, and discards it if that fails, because a later capture could not use
   * it either.
   */
  private Use startUsing(Kept known) {
    try {
      return new Use(known);
    } catch (RuntimeException e) {
      kept = null;
      if (!known.snapshotId().isEmpty()) {
        missing = new Missing(known.vm(), TrackingGap.trackerFailed(e));
      }
      closeQuietly(known.tracker());
      throw e;
    }
  }

  /** Returns the kept tracker only to inspect what changed, or null when none is kept. */
  public @Nullable Use peek(RunningVm vm) {
    Kept before = kept;
    return before != null && before.vm() == vm ? startUsing(before) : null;
  }

  /** Discards the tracker because the machine will not be captured any more. Idempotent. */
  @Override
  public void close() {
    giveUp();
    missing = null;
  }

  private void giveUp() {
    Kept before = kept;
    kept = null;
    if (before != null) {
      closeQuietly(before.tracker());
    }
  }

  private static void closeQuietly(MemoryTracker tracker) {
    try {
      tracker.close();
    } catch (RuntimeException e) {
      // The machine may be gone already, and nothing in the capture depends on this.
      LOG.log(System.Logger.Level.WARNING, "a memory tracker could not be closed", e);
    }
  }

  /**
   * The use of a tracker in one capture. Closing it decides whether the tracker is kept: it is if
   * it can continue from the published snapshot, or if the capture failed before the tracker
   * learned of any change.
   */
  public final class Use implements AutoCloseable {
    private final OpenMode mode;
    private final RunningVm vm;
    private final MemoryTracker tracker;
    private final Baseline baseline;
    private final @Nullable String previous;
    private final long writesBefore;
    private long diskWrites = -1;
    private @Nullable TrackingGap lost;
    private boolean committed;
    private @Nullable String published;

    private Use(Kept known) {
      this.mode = known.mode();
      this.vm = known.vm();
      this.tracker = known.tracker();
      this.previous = known.snapshotId().isEmpty() ? null : known.snapshotId();
      this.writesBefore = known.diskWrites();
      this.baseline = tracker.baseline();
      if (tracker instanceof LiveTracker live) {
        live.startOver();
      }
    }

    /** Returns the tracker if it can select while the machine runs, and null otherwise. */
    public @Nullable LiveTracker liveTracker() {
      return tracker instanceof LiveTracker live ? live : null;
    }

    /** Returns the pages to copy before the pause. The machine runs. */
    public PageRanges selectRunning(LiveTracker live, GuestMemory memory) {
      return orLost(() -> live.selectRunning(memory));
    }

    /** Returns the image that the selection is relative to. */
    public Baseline baseline() {
      return baseline;
    }

    /** Returns the snapshot of the tracker's last capture; null for a newly attached tracker. */
    public @Nullable String previous() {
      return previous;
    }

    /** Returns the count of disk writes before the last capture; -1 when they are not counted. */
    public long diskWrites() {
      return writesBefore;
    }

    /** Notes the count of disk writes: this capture holds the disks as of now or later. */
    public void noteDiskWrites() {
      DiskWrites disk = liveTracker() == null ? null : Capability.guarded(vm, DiskWrites.class);
      if (disk != null) {
        diskWrites = disk.diskWrites();
      }
    }

    /** Returns whether the tracker existed before this capture. */
    public boolean continued() {
      return previous != null;
    }

    /** Returns the pages to write. The machine is paused. */
    public PageRanges select(GuestMemory memory) {
      return orLost(() -> tracker.select(memory));
    }

    private PageRanges orLost(Supplier<PageRanges> selection) {
      try {
        return selection.get();
      } catch (RametException e) {
        lost = e.code() == ErrorCode.UNSUPPORTED ? TrackingGap.trackerFailed(e) : null;
        throw e;
      }
    }

    /** Records that the selected pages were read; the machine is still paused. */
    public void committed() {
      committed = true;
      tracker.committed();
    }

    /** Records that the tracker's selection is unusable, or that the image it fits is gone. */
    public void markUnusable(ModeRefusal.Cause cause, String why) {
      lost = new TrackingGap(cause, why);
    }

    /**
     * Returns why the tracker cannot continue from the machine's last capture; null when it can or
     * there was none.
     */
    public @Nullable TrackingGap trackingGap() {
      Missing now = missing;
      return previous == null && now != null && now.vm() == vm ? now.gap() : null;
    }

    /** Records that the capture has become this snapshot. */
    public void published(String snapshotId) {
      published = snapshotId;
    }

    /**
     * Returns the snapshot that the next capture of the machine will overlay, as far as this is
     * known once the current one is published.
     *
     * @param restored the snapshot the machine was restored from, or null
     */
    public @Nullable String nextBase(@Nullable String restored) {
      return canContinue() ? published : restored;
    }

    /**
     * Returns whether the tracker can continue. The capture is complete whatever the tracker does,
     * so a tracker that fails is discarded.
     */
    private boolean canContinue() {
      try {
        return tracker.baseline() == Baseline.PREVIOUS_CAPTURE;
      } catch (RuntimeException e) {
        LOG.log(System.Logger.Level.WARNING, "a memory tracker cannot continue", e);
        return false;
      }
    }

    @Override
    public void close() {
      String now = published;
      if (now != null && canContinue()) {
        kept = new Kept(mode, vm, tracker, now, diskWrites);
        missing = null;
      } else if (now == null && !committed && lost == null && previous != null) {
        LOG.log(
            System.Logger.Level.DEBUG,
            "the next capture selects again the pages of a capture that failed");
      } else {
        // Either the pages were committed for a snapshot that was never completed, or the tracker
        // is lost, or its mode does not track.
        kept = null;
        remember(now);
        closeQuietly(tracker);
      }
    }

    /**
     * Remembers why the tracker is missing. A newly attached tracker knew of no earlier capture, so
     * losing it loses nothing.
     */
    private void remember(@Nullable String now) {
      String before = previous;
      TrackingGap why = lost;
      if (now != null) {
        missing = new Missing(vm, TrackingGap.afterCapture(mode, now));
      } else if (before != null) {
        missing = new Missing(vm, why == null ? TrackingGap.ofFailure(before) : why);
      }
    }
  }
}
