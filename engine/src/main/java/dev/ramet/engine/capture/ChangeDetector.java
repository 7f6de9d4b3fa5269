// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

import dev.ramet.engine.pages.PageComparison;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.tracking.TrackerSlot;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.pluginhost.guard.Capability;
import dev.ramet.spi.hypervisor.DiskWrites;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.LiveTracker;
import dev.ramet.spi.memory.PageRanges;
import dev.ramet.spi.storage.StorageBackend;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether a sandbox's memory and disk still equal its last snapshot, without a pause.
 *
 * <p>Pages written since the snapshot are compared with it, because a hypervisor rewrites some
 * pages with the same bytes. If no page is written between the first look and a second one after
 * the comparison, the memory did not change. Neither did the disk if its write count has not grown:
 * a request under way shows in memory, which holds its queue. Thread-safe; the caller holds the
 * sandbox.
 */
public final class ChangeDetector {
  /**
   * Limit on the bytes compared: a hypervisor does not rewrite more than this with the same bytes.
   */
  private static final long MAX_COMPARED_BYTES = 256 << 10;

  private final StorageBackend storage;
  private final SnapshotReclaimer reclaimer;
  private final PausedCapturer paused;

  public ChangeDetector(
      StorageBackend storage, SnapshotReclaimer reclaimer, PausedCapturer paused) {
    this.storage = storage;
    this.reclaimer = reclaimer;
    this.paused = paused;
  }

  /**
   * Returns the last snapshot if nothing changed since; null if something did or it cannot be told.
   * A paused sandbox cannot change: any snapshot made of it since it was paused will do.
   */
  public @Nullable SnapshotRecord lastSnapshotIfUnchanged(LiveSandbox live) {
    SandboxRecord record = live.saved();
    return PausedCapturer.isPaused(record)
        ? paused.findExisting(record)
        : lastCaptureIfUnchanged(live);
  }

  private @Nullable SnapshotRecord lastCaptureIfUnchanged(LiveSandbox live) {
    RunningVm vm = live.runningMachine();
    try (TrackerSlot.Use last = live.tracking().peek(vm)) {
      DiskWrites disk = Capability.guarded(vm, DiskWrites.class);
      if (last == null || disk == null) {
        return null;
      }
      LiveTracker tracker = last.liveTracker();
      String id = last.previous();
      if (tracker == null || id == null || last.baseline() != Baseline.PREVIOUS_CAPTURE) {
        return null;
      }
      try (SnapshotReclaimer.Pin pin = reclaimer.pinIfThere(id)) {
        if (pin == null || !isVisible(pin.record())) {
          return null;
        }
        Path image = storage.attach(Layout.snapshotMemory(id)).path();
        boolean same =
            sameMemory(vm, last, tracker, image) && last.diskWrites() == disk.diskWrites();
        return same ? pin.record() : null;
      }
    } catch (RametException e) {
      if (e.code() == ErrorCode.UNSUPPORTED) {
        return null; // tracking was lost
      }
      throw e;
    }
  }

  /**
   * Returns whether callers can see it: not the hidden base of clones, and not a deleted snapshot.
   */
  private static boolean isVisible(SnapshotRecord record) {
    return record.kind() == SnapshotRecord.Kind.SNAPSHOT && !record.deleted();
  }

  private static boolean sameMemory(
      RunningVm vm, TrackerSlot.Use last, LiveTracker tracker, Path image) {
    GuestMemory memory = vm.memory();
    PageRanges written = last.selectRunning(tracker, memory);
    if (written.count() == 0) {
      return true;
    }
    if (written.copyBytes() + written.zeroBytes() > MAX_COMPARED_BYTES
        || !PageComparison.equalImage(memory.pid(), written, image)) {
      return false;
    }
    tracker.copied();
    return last.selectRunning(tracker, memory).count() == 0;
  }
}
