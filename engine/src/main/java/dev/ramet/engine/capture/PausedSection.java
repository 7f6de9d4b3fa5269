// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

import dev.ramet.engine.StepObserver;
import dev.ramet.engine.pages.Fingerprint;
import dev.ramet.engine.pages.PageCapture;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.tracking.TrackerSlot;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavingVm;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.PageRanges;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.WriteLog;
import java.nio.file.Path;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The part of a capture that needs a paused machine: saves the devices, clones the disk and reads
 * the selected pages. Also measures its time over all attempts, because a capture repeated in
 * another mode pauses the machine again. Used by one thread.
 */
final class PausedSection {
  private final StorageBackend storage;
  private final StepObserver steps;
  private final boolean memoryStable;
  final WriteLog log;
  final PhaseTimes phases = new PhaseTimes();
  private long nanos;
  private Instant instant = Instant.EPOCH;

  /**
   * Creates the paused section of one capture.
   *
   * @param log the machine's disk write log
   * @param memoryStable whether memory does not change while devices are saved
   */
  PausedSection(StorageBackend storage, StepObserver steps, WriteLog log, boolean memoryStable) {
    this.storage = storage;
    this.steps = steps;
    this.log = log;
    this.memoryStable = memoryStable;
  }

  /** Returns how long the machine was paused, summed over all attempts of the capture. */
  long nanos() {
    return nanos;
  }

  /** Returns the instant that was captured. */
  Instant instant() {
    return instant;
  }

  /**
   * The disk to clone and the destinations of the capture.
   *
   * @param liveDisk the disk in use
   * @param snapshotDisk the clone to make
   * @param devices directory for the device state
   */
  record Paths(NodeId liveDisk, NodeId snapshotDisk, Path devices) {
    static Paths create(String sandboxId, int machine, String snapshotId, Path partial) {
      return new Paths(
          Layout.machineDisk(sandboxId, machine),
          Layout.snapshotDisk(snapshotId),
          Layout.devices(partial));
    }
  }

  /** The memory mode cannot make this capture. The machine runs again. */
  static final class ModeUnfit extends Exception {
    private static final long serialVersionUID = 1L;

    final RametException failure;

    ModeUnfit(RametException failure) {
      super(failure);
      this.failure = failure;
    }
  }

  /**
   * Pauses the machine, reads its state, and resumes it even after a failure.
   *
   * @param located where its memory was a moment ago; null to look that up
   * @param all receives a checksum of all pages; null for none
   * @throws ModeUnfit if the tracker cannot tell which pages must be read
   */
  void read(
      RunningVm vm,
      Paths paths,
      TrackerSlot.Use tracker,
      @Nullable GuestMemory located,
      PageCapture pages,
      @Nullable Fingerprint all)
      throws ModeUnfit {
    steps.before("snapshot.pause");
    // Looking up the memory's location takes longer than reading it, so it is done while the
    // machine runs, before and after the pause. If both agree, it did not change in between.
    GuestMemory memory = located != null ? located : vm.memory();
    phases.endPhase("locate");
    phases.inPause(true);
    SavingVm saving;
    long start = System.nanoTime();
    try (SavingVm paused = vm.pauseAndSave(paths.devices())) {
      instant = Instant.now();
      phases.endPhase("stop");
      // Meanwhile the hypervisor saves its devices. Cloning the disk on another thread would not
      // be faster: waking one takes as long as the clone, and might take the hypervisor's
      // processor.
      steps.before("snapshot.disk");
      storage.snapshot(paths.liveDisk(), paths.snapshotDisk(), Durability.RELAXED, log);
      phases.endPhase("disk");
      if (!memoryStable) {
        awaitDevices(paused);
      }
      PageRanges ranges = select(tracker, memory);
      phases.endPhase("select");
      steps.before("snapshot.read");
      pages.readWhilePaused(memory.pid(), ranges);
      phases.endPhase("read");
      steps.before("snapshot.track");
      tracker.committed();
      phases.endPhase("track");
      if (memoryStable) {
        awaitDevices(paused);
      }
      if (all != null) {
        all.compute(memory);
        phases.endPhase("verify");
      }
      steps.before("snapshot.resume");
      paused.resume();
      phases.endPhase("resume");
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

  private void awaitDevices(SavingVm paused) {
    steps.before("snapshot.devices");
    paused.awaitDevices();
    phases.endPhase("devices");
  }

  private PageRanges select(TrackerSlot.Use tracker, GuestMemory memory) throws ModeUnfit {
    return orUnfit(
        () -> {
          steps.before("snapshot.select");
          return tracker.select(memory);
        });
  }

  /** Makes a selection and turns a mode's {@code UNSUPPORTED} into {@link ModeUnfit}. */
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
