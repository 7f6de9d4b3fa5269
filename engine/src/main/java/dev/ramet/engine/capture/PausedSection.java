// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

import dev.ramet.engine.core.Context;
import dev.ramet.engine.pages.Fingerprint;
import dev.ramet.engine.pages.PageCapture;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.tracking.Tracking;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavingVm;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.PageRanges;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.WriteLog;
import java.nio.file.Path;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a capture does while its machine stands still, and nothing else: the devices are saved, the
 * disk is cloned, the selected pages are read. Also keeps the account of it: a capture that must be
 * taken again in another mode stops the machine again. Used by one thread.
 */
final class PausedSection {
  private final Context context;
  final WriteLog log;
  final Phases phases = new Phases();
  private long nanos;
  private Instant instant = Instant.EPOCH;

  /**
   * For one capture.
   *
   * @param log of the machine's disk
   */
  PausedSection(Context context, WriteLog log) {
    this.context = context;
    this.log = log;
  }

  /** How long the machine has stood still, all pauses of the capture together. */
  long nanos() {
    return nanos;
  }

  /** The instant that was captured. */
  Instant instant() {
    return instant;
  }

  /**
   * What to clone, and where to.
   *
   * @param liveDisk the disk in use
   * @param snapshotDisk what it is cloned to
   * @param devices directory for the devices' state
   */
  record Paths(NodeId liveDisk, NodeId snapshotDisk, Path devices) {
    static Paths of(String sandboxId, int machine, String snapshotId, Path partial) {
      return new Paths(
          Layout.machineDisk(sandboxId, machine),
          Layout.snapshotDisk(snapshotId),
          Layout.devices(partial));
    }
  }

  /** The memory mode has no use for this capture; the machine runs again. */
  static final class ModeUnfit extends Exception {
    private static final long serialVersionUID = 1L;

    final RametException failure;

    ModeUnfit(RametException failure) {
      super(failure);
      this.failure = failure;
    }
  }

  /**
   * Stops the machine, reads, and lets it run again, whatever happens.
   *
   * @param located where its memory was a moment ago; null to look that up
   * @param all receives a checksum of all pages; null for none
   * @throws ModeUnfit when the tracker cannot tell what must be read
   */
  void read(
      RunningVm vm,
      Paths paths,
      Tracking.Use tracker,
      @Nullable GuestMemory located,
      PageCapture pages,
      @Nullable Fingerprint all)
      throws ModeUnfit {
    context.before("snapshot.pause");
    // To look up where memory is takes longer than to look at it, so it is done while the machine
    // runs, twice: what was the same before and after was the same in between.
    GuestMemory memory = located != null ? located : vm.memory();
    phases.ended("locate");
    phases.inPause(true);
    SavingVm saving;
    long start = System.nanoTime();
    try (SavingVm paused = vm.pauseAndSave(paths.devices())) {
      instant = Instant.now();
      phases.ended("stop");
      // Meanwhile the hypervisor saves its devices, which leaves memory alone. To wake another
      // thread for the disk would take as long as the clone, and might take the hypervisor's
      // processor.
      context.before("snapshot.disk");
      context.storage().snapshot(paths.liveDisk(), paths.snapshotDisk(), Durability.RELAXED, log);
      phases.ended("disk");
      PageRanges ranges = select(tracker, memory);
      phases.ended("select");
      context.before("snapshot.read");
      pages.readWhilePaused(memory.pid(), ranges);
      phases.ended("read");
      context.before("snapshot.track");
      tracker.committed();
      phases.ended("track");
      context.before("snapshot.devices");
      paused.awaitDevices();
      phases.ended("devices");
      if (all != null) {
        all.take(memory);
        phases.ended("verify");
      }
      context.before("snapshot.resume");
      paused.resume();
      phases.ended("resume");
      saving = paused;
    } finally {
      nanos += System.nanoTime() - start;
      phases.inPause(false);
    }
    saving.finishDevices();
    if (!vm.memory().equals(memory)) {
      throw new RametException(
          ErrorCode.CONFLICT,
          "the hypervisor moved the machine's memory while it was captured",
          "try again",
          null);
    }
  }

  private PageRanges select(Tracking.Use tracker, GuestMemory memory) throws ModeUnfit {
    return orUnfit(
        () -> {
          context.before("snapshot.select");
          return tracker.select(memory);
        });
  }

  /** A selection that a mode may refuse. */
  static PageRanges orUnfit(Supplier<PageRanges> selection) throws ModeUnfit {
    try {
      return selection.get();
    } catch (RametException e) {
      if (e.code() == ErrorCode.UNSUPPORTED) {
        throw new ModeUnfit(e);
      }
      throw e;
    }
  }
}
