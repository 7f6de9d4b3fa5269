// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.snapshot;

import dev.ramet.engine.IdListener;
import dev.ramet.engine.capture.CaptureOrder;
import dev.ramet.engine.capture.PausedCapturer;
import dev.ramet.engine.capture.SandboxCapturer;
import dev.ramet.engine.capture.SnapshotReplacement;
import dev.ramet.engine.sandbox.RecordViews;
import dev.ramet.engine.snapshots.NewSnapshot;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.engine.space.FreeSpace;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.engine.state.SnapshotNames;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.state.SnapshotStore;
import dev.ramet.engine.support.Ids;
import dev.ramet.engine.support.TaggedName;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.Durability;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Takes snapshots, with or without waiting until they are written. Thread-safe. */
public final class SnapshotCreator {
  private static final int MAX_DESCRIPTION = 1000;

  private final SandboxStore sandboxes;
  private final SnapshotStore snapshots;
  private final SandboxCapturer capturer;
  private final BackgroundCapture background;
  private final SnapshotReplacement replacement;
  private final RecordViews views;
  private final FreeSpace space;

  public SnapshotCreator(
      SandboxStore sandboxes,
      SnapshotStore snapshots,
      SandboxCapturer capturer,
      BackgroundCapture background,
      SnapshotReplacement replacement,
      RecordViews views,
      FreeSpace space) {
    this.sandboxes = sandboxes;
    this.snapshots = snapshots;
    this.capturer = capturer;
    this.background = background;
    this.replacement = replacement;
    this.views = views;
    this.space = space;
  }

  Snapshot create(NewSnapshot wanted, IdListener ids) {
    String sandboxId = wanted.sandboxId();
    checkDescription(wanted.description());
    LiveSandbox live = sandboxes.get(sandboxId);
    space.require("take a snapshot of " + live.id());
    NewSnapshot request = wanted.replacing(replacement.resolve(live.id(), wanted.replaces()));
    if (!request.untilReady() && request.memory() && !PausedCapturer.isPaused(live.saved())) {
      return views.snapshot(background.start(live, request, ids));
    }
    try (LiveSandbox.Hold hold = live.acquire("snapshot");
        SnapshotNames.Reservation reservation = reserve(snapshots, request)) {
      SandboxRecord record = sandboxes.get(live.id()).saved();
      String id = Ids.newId('s');
      ids.assigning(List.of(id));
      CaptureOrder order =
          CaptureOrder.forRequest(id, request, record.sourceId(), Durability.DURABLE);
      return views.lastSnapshot(live, capturer.capture(live, order, request.memory()));
    }
  }

  /**
   * Reserves the snapshot's name. Another snapshot may have it: the tag moves to the new one when
   * that is ready.
   */
  static SnapshotNames.Reservation reserve(SnapshotStore snapshots, NewSnapshot request) {
    return snapshots
        .names()
        .reserve(
            TaggedName.ofNullable("name", request.name()), SnapshotRecord.Kind.SNAPSHOT, false);
  }

  private static void checkDescription(@Nullable String description) {
    if (description != null && description.length() > MAX_DESCRIPTION) {
      throw RametException.invalid(
          "description", "must have at most " + MAX_DESCRIPTION + " characters");
    }
  }
}
