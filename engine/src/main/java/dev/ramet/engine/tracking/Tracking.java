// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.tracking;

import dev.ramet.engine.ModeRefusal;
import dev.ramet.engine.plugin.Capability;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.DiskWrites;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.LiveTracker;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory tracker of one sandbox's machine. One that can tell what changed since its last
 * capture is kept from capture to capture, together with the snapshot that capture became, because
 * that snapshot's memory image is the only one its next selection fits on. Of one that could not be
 * kept it is remembered why, as long as that matters. Used by whoever holds the sandbox.
 */
public final class Tracking implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Tracking.class.getName());

  private @Nullable Kept kept;
  private @Nullable Missing missing;

  public Tracking() {}

  /**
   * A tracker between two captures.
   *
   * @param mode the id of its mode
   * @param vm whose memory it tracks
   * @param tracker the tracker
   * @param snapshotId the snapshot that its last committed selection went into
   * @param diskWrites what {@link DiskWrites} counted before that capture, or -1
   */
  private record Kept(
      String mode, RunningVm vm, MemoryTracker tracker, String snapshotId, long diskWrites) {}

  /**
   * What a tracker of this machine cannot know.
   *
   * @param vm the machine
   * @param gap why not
   */
  private record Missing(RunningVm vm, TrackingGap gap) {}

  /** The machine was captured before, and whatever tracked it since is not here. */
  public void foundAgain(RunningVm vm, TrackingGap gap) {
    missing = new Missing(vm, gap);
  }

  /**
   * Takes the kept tracker for a capture if it is one of this mode and machine; otherwise gives it
   * up, because the capture at hand comes in between, and attaches a new one.
   *
   * @throws RametException when the mode cannot track this machine
   */
  public Use use(String modeId, MemoryMode mode, RunningVm vm) {
    Kept before = kept;
    if (before != null && before.vm() == vm && before.mode().equals(modeId)) {
      return begin(before);
    }
    if (before != null && before.vm() == vm) {
      missing = new Missing(vm, TrackingGap.interrupted(modeId, before.snapshotId()));
    }
    giveUp();
    return begin(new Kept(modeId, vm, mode.attach(vm.memory()), "", -1));
  }

  /** A tracker that cannot even begin is of no use to a later capture either. */
  private Use begin(Kept known) {
    try {
      return new Use(known);
    } catch (RuntimeException e) {
      kept = null;
      if (!known.snapshotId().isEmpty()) {
        missing = new Missing(known.vm(), TrackingGap.lost(e));
      }
      closeQuietly(known.tracker());
      throw e;
    }
  }

  /** The kept tracker, to look at what changed and nothing else; null when none is kept. */
  public @Nullable Use last(RunningVm vm) {
    Kept before = kept;
    return before != null && before.vm() == vm ? begin(before) : null;
  }

  /** Gives the tracker up: the machine is not captured any more. Idempotent. */
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
      // The machine may be gone already, and nothing of the capture depends on it.
      LOG.log(System.Logger.Level.WARNING, "a memory tracker could not be closed", e);
    }
  }

  /**
   * A tracker in one capture. Closing it decides what becomes of the tracker: it is kept if it can
   * go on from the published snapshot, or if the capture failed before it learned of anything.
   */
  public final class Use implements AutoCloseable {
    private final String mode;
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

    /** The tracker, if it can select while the machine runs; null otherwise. */
    public @Nullable LiveTracker live() {
      return tracker instanceof LiveTracker live ? live : null;
    }

    /** Answers what must be copied before the pause. The machine runs. */
    public PageRanges selectRunning(LiveTracker live, GuestMemory memory) {
      return orLost(() -> live.selectRunning(memory));
    }

    /** What its selection is relative to. */
    public Baseline baseline() {
      return baseline;
    }

    /** The snapshot of its last capture; null for a tracker that was just attached. */
    public @Nullable String previous() {
      return previous;
    }

    /** What was counted of the disks' writes before its last capture; -1 when nobody counts. */
    public long diskWrites() {
      return writesBefore;
    }

    /** The capture at hand holds what the disks are now, or what is written from now on. */
    public void noteDiskWrites() {
      DiskWrites disk = live() == null ? null : Capability.of(vm, DiskWrites.class);
      if (disk != null) {
        diskWrites = disk.diskWrites();
      }
    }

    /** Whether it has been there before this capture. */
    public boolean continued() {
      return previous != null;
    }

    /** Answers what must be written. The machine is paused. */
    public PageRanges select(GuestMemory memory) {
      return orLost(() -> tracker.select(memory));
    }

    private PageRanges orLost(Supplier<PageRanges> selection) {
      try {
        return selection.get();
      } catch (RametException e) {
        lost = e.code() == ErrorCode.UNSUPPORTED ? TrackingGap.lost(e) : null;
        throw e;
      }
    }

    /** The selected pages were read; the machine is still paused. */
    public void committed() {
      committed = true;
      tracker.committed();
    }

    /** This tracker's selection is of no use, or the image it fits on is not there any more. */
    public void lost(ModeRefusal.Cause cause, String why) {
      lost = new TrackingGap(cause, why);
    }

    /** Why it cannot go on from the machine's last capture; null when it does or there is none. */
    public @Nullable TrackingGap gap() {
      Missing now = missing;
      return previous == null && now != null && now.vm() == vm ? now.gap() : null;
    }

    /** The capture is now this snapshot. */
    public void published(String snapshotId) {
      published = snapshotId;
    }

    /**
     * The snapshot that the next capture of the machine will overlay, as far as can be told once
     * this one is published.
     *
     * @param restored what the machine was restored from, or null
     */
    public @Nullable String nextBase(@Nullable String restored) {
      return goesOn() ? published : restored;
    }

    /** The capture is made and stays, whatever its tracker does: one that fails ends here. */
    private boolean goesOn() {
      try {
        return tracker.baseline() == Baseline.PREVIOUS_CAPTURE;
      } catch (RuntimeException e) {
        LOG.log(System.Logger.Level.WARNING, "a memory tracker cannot go on", e);
        return false;
      }
    }

    @Override
    public void close() {
      String now = published;
      if (now != null && goesOn()) {
        kept = new Kept(mode, vm, tracker, now, diskWrites);
        missing = null;
      } else if (now == null && !committed && lost == null && previous != null) {
        LOG.log(System.Logger.Level.DEBUG, "pages selected in vain are selected again");
      } else {
        // Committed for a snapshot that never came to be, lost, or without a memory of its own.
        kept = null;
        remember(now);
        closeQuietly(tracker);
      }
    }

    /** One that was only just attached knew of no earlier capture, so nothing more is missing. */
    private void remember(@Nullable String now) {
      String before = previous;
      TrackingGap why = lost;
      if (now != null) {
        missing = new Missing(vm, TrackingGap.after(mode, now));
      } else if (before != null) {
        missing = new Missing(vm, why == null ? TrackingGap.failed(before) : why);
      }
    }
  }
}
