// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.capture.CaptureMetrics;
import dev.ramet.engine.capture.Capturer;
import dev.ramet.engine.capture.CopyPreparer;
import dev.ramet.engine.capture.DiskCapturer;
import dev.ramet.engine.capture.MemoryImages;
import dev.ramet.engine.capture.PausedCapturer;
import dev.ramet.engine.capture.SnapshotReplacement;
import dev.ramet.engine.capture.SnapshotTarget;
import dev.ramet.engine.capture.WritebackErrors;
import dev.ramet.engine.metrics.Registry;
import dev.ramet.engine.pages.PageWriter;
import dev.ramet.engine.space.FreeSpace;
import dev.ramet.engine.state.RootContents;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.support.Undo;
import dev.ramet.engine.tracking.MemoryModes;

/**
 * The parts that capture sandboxes.
 *
 * @param target where snapshots and templates are written
 * @param replacement replaces older snapshots
 * @param capturer captures running machines
 * @param disks captures the disks of running machines alone
 * @param paused captures paused sandboxes
 * @param space refuses what only the reserve would be left for
 */
record CaptureParts(
    SnapshotTarget target,
    SnapshotReplacement replacement,
    Capturer capturer,
    DiskCapturer disks,
    PausedCapturer paused,
    FreeSpace space) {
  /**
   * How memory is captured.
   *
   * @param modes the memory modes that work here
   * @param stable whether it does not change while devices are saved
   * @param pages writes memory images
   */
  record Memory(MemoryModes modes, boolean stable, PageWriter pages) {}

  /** Connects the parts. */
  static CaptureParts assemble(
      EngineConfig config,
      RootContents root,
      SnapshotReclaimer reclaimer,
      Memory memory,
      Registry metrics,
      FreeSpace space,
      Undo close) {
    SnapshotTarget target =
        new SnapshotTarget(root.layout(), root.snapshots(), root.storage(), config.steps());
    SnapshotReplacement replacement =
        new SnapshotReplacement(
            root.snapshots(),
            root.storage(),
            config.settings().get(SnapshotReplacement.MEMORY_VOLUMES),
            reclaimer,
            config.steps());
    WritebackErrors lost = new WritebackErrors(root.layout(), root.storage());
    CopyPreparer ahead = new CopyPreparer(root.storage(), space, metrics);
    close.add("preparation of copies", ahead::close);
    MemoryImages images =
        new MemoryImages(
            root.storage(),
            memory.pages(),
            memory.stable(),
            replacement,
            config.settings().get(MemoryImages.VERIFY),
            config.steps());
    return new CaptureParts(
        target,
        replacement,
        new Capturer(
            target,
            images,
            memory.modes(),
            config.settings(),
            ahead,
            lost,
            reclaimer,
            new CaptureMetrics(metrics)),
        new DiskCapturer(target, lost),
        new PausedCapturer(target, reclaimer),
        space);
  }
}
