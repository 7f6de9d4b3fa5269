// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.snapshot;

import dev.ramet.engine.IdListener;
import dev.ramet.engine.capture.ChangeDetector;
import dev.ramet.engine.sandbox.RecordViews;
import dev.ramet.engine.snapshots.NewSnapshot;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.engine.snapshots.SnapshotDifference;
import dev.ramet.engine.snapshots.Snapshots;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.PendingSnapshots;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.state.SnapshotStore;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Implements {@link Snapshots}: takes, lists, compares and deletes snapshots. */
public final class SnapshotOperations implements Snapshots {
  private final SandboxStore sandboxes;
  private final SnapshotStore snapshots;
  private final PendingSnapshots writings;
  private final SnapshotCreator creator;
  private final ChangeDetector changes;
  private final SnapshotComparer differences;
  private final SnapshotReclaimer reclaimer;
  private final RecordViews views;

  /**
   * Creates the operations.
   *
   * @param writings the snapshots that are still being written
   */
  public SnapshotOperations(
      SandboxStore sandboxes,
      SnapshotStore snapshots,
      PendingSnapshots writings,
      SnapshotCreator creator,
      ChangeDetector changes,
      SnapshotComparer differences,
      SnapshotReclaimer reclaimer,
      RecordViews views) {
    this.sandboxes = sandboxes;
    this.snapshots = snapshots;
    this.writings = writings;
    this.creator = creator;
    this.changes = changes;
    this.differences = differences;
    this.reclaimer = reclaimer;
    this.views = views;
  }

  @Override
  public Snapshot create(NewSnapshot request, IdListener ids) {
    return creator.create(request, ids);
  }

  @Override
  public Optional<Snapshot> findUnchanged(String sandboxId) {
    LiveSandbox live = sandboxes.get(sandboxId);
    try (LiveSandbox.Hold hold = live.acquire("snapshot")) {
      return Optional.ofNullable(changes.lastSnapshotIfUnchanged(sandboxes.get(live.id())))
          .map(found -> views.lastSnapshot(live, found))
          .filter(snapshot -> snapshot.status() != Snapshot.Status.BROKEN);
    }
  }

  @Override
  public Snapshot get(String idOrName) {
    PendingSnapshots.Entry writing = writings.find(idOrName);
    SnapshotRecord record = findPublished(idOrName);
    if (record != null) {
      return views.snapshot(record);
    }
    if (writing == null) {
      throw snapshots.names().notFound("snapshot", idOrName);
    }
    return views.snapshot(writing);
  }

  private @Nullable SnapshotRecord findPublished(String idOrName) {
    return snapshots
        .names()
        .resolve(idOrName)
        .filter(record -> record.kind() == SnapshotRecord.Kind.SNAPSHOT)
        .orElse(null);
  }

  @Override
  public void await(String idOrName, Duration timeout) {
    writings.await(idOrName, timeout);
  }

  @Override
  public SnapshotDifference diff(String a, String b, int mostRanges) {
    return differences.compare(a, b, mostRanges);
  }

  @Override
  public List<Snapshot> list(@Nullable String sandbox) {
    // The snapshots of a sandbox that is gone are found by its id.
    String sandboxId = sandbox == null ? null : sandboxes.find(sandbox).orElse(sandbox);
    // In this order, so that a snapshot published in between is found twice, never missed.
    Map<String, Snapshot> found = new HashMap<>();
    for (PendingSnapshots.Entry writing : writings.all()) {
      found.put(writing.id(), views.snapshot(writing));
    }
    for (SnapshotRecord record : snapshots.all()) {
      if (record.kind() == SnapshotRecord.Kind.SNAPSHOT && !record.deleted()) {
        found.put(record.id(), views.snapshot(record));
      }
    }
    return found.values().stream()
        .filter(snapshot -> sandboxId == null || sandboxId.equals(snapshot.sandboxId()))
        .sorted(Comparator.comparing(Snapshot::createdAt).reversed().thenComparing(Snapshot::id))
        .toList();
  }

  @Override
  public void delete(String idOrName, boolean strict) {
    PendingSnapshots.Entry writing = writings.find(idOrName);
    List<SnapshotRecord> records =
        snapshots.names().resolveAll(idOrName).stream()
            .filter(record -> record.kind() == SnapshotRecord.Kind.SNAPSHOT)
            .toList();
    if (records.isEmpty()) {
      if (writing == null) {
        throw snapshots.names().notFound("snapshot", idOrName);
      }
      if (writing.failure() == null) {
        throw writings.refusal(writing);
      }
      writings.removeFailed(writing);
      return;
    }
    if (strict) {
      records.forEach(this::checkUnused);
    }
    records.forEach(reclaimer::delete);
  }

  private void checkUnused(SnapshotRecord record) {
    List<String> users = reclaimer.users(record.id());
    if (!users.isEmpty()) {
      throw new RametException(
          ErrorCode.CONFLICT,
          "snapshot " + record.id() + " is in use by " + String.join(", ", users),
          "kill those sandboxes, or delete without strict: the files are then removed with the"
              + " last of them",
          null);
    }
  }
}
