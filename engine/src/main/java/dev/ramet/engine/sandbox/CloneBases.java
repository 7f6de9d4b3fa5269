// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandbox;

import dev.ramet.engine.capture.CaptureOrder;
import dev.ramet.engine.capture.Capturer;
import dev.ramet.engine.capture.PausedCapturer;
import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.state.SnapshotStore;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Ids;
import dev.ramet.spi.storage.Durability;
import java.io.IOException;

/**
 * Captures the common start of clones, which is never listed and is deleted with the last clone
 * that depends on it. Thread-safe.
 */
public final class CloneBases {
  private static final System.Logger LOG = System.getLogger(CloneBases.class.getName());

  private final SandboxStore sandboxes;
  private final SnapshotStore snapshots;
  private final Capturer capturer;
  private final PausedCapturer paused;
  private final SnapshotReclaimer reclaimer;

  public CloneBases(
      SandboxStore sandboxes,
      SnapshotStore snapshots,
      Capturer capturer,
      PausedCapturer paused,
      SnapshotReclaimer reclaimer) {
    this.sandboxes = sandboxes;
    this.snapshots = snapshots;
    this.capturer = capturer;
    this.paused = paused;
    this.reclaimer = reclaimer;
  }

  /** Captures the source once, and pins the capture. */
  SnapshotReclaimer.Pin capture(LiveSandbox source, CloneRequest request) {
    try (LiveSandbox.Hold hold = source.acquire("clone")) {
      SandboxRecord record = sandboxes.get(source.id()).saved();
      boolean isPaused = PausedCapturer.isPaused(record);
      // The capture need not survive a loss of power, because the clones do not either.
      CaptureOrder order =
          CaptureOrder.hidden(
              Ids.newId('c'),
              SnapshotRecord.Kind.CLONE_BASE,
              record.sourceId(),
              // A paused sandbox's memory was captured when it was paused.
              isPaused ? null : request.memoryMode(),
              Durability.RELAXED);
      return reclaimer.pin(
          isPaused ? paused.capture(record, order, true) : capturer.capture(source, order));
    }
  }

  /**
   * Commits the clones: from here on they survive a crash of the engine, and the base is deleted
   * with the last of them.
   */
  void commit(SnapshotRecord base) {
    try {
      snapshots.update(base.asDeleted(), false);
    } catch (IOException e) {
      throw Errors.ioError("cannot clone", sandboxes.root(), e);
    }
  }

  /** Deletes the capture of clones that failed. */
  void discard(SnapshotRecord base) {
    try {
      reclaimer.delete(base);
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, "cannot undo the capture " + base.id(), e);
    }
  }
}
