// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.core;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.engine.NewSnapshot;
import dev.ramet.engine.Snapshot;
import dev.ramet.engine.Snapshots;
import dev.ramet.engine.internal.Ids;
import dev.ramet.engine.store.SandboxRecord;
import dev.ramet.engine.store.SnapshotRecord;
import dev.ramet.spi.storage.Durability;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The snapshots as the engine's host sees them. */
final class SnapshotOperations implements Snapshots {
  private static final int MOST_DESCRIPTION = 1000;

  private final Context context;
  private final Capturer capturer;
  private final Reclaimer reclaimer;
  private final Views views;

  SnapshotOperations(Context context, Capturer capturer, Reclaimer reclaimer, Views views) {
    this.context = context;
    this.capturer = capturer;
    this.reclaimer = reclaimer;
    this.views = views;
  }

  @Override
  public Snapshot create(NewSnapshot request) {
    String sandboxId = request.sandboxId();
    checkDescription(request.description());
    LiveSandbox live = context.sandboxes().get(sandboxId);
    try (LiveSandbox.Hold hold = live.hold("snapshot");
        SnapshotStore.Reservation reservation = context.snapshots().reserveName(request.name())) {
      SandboxRecord record = context.sandboxes().get(sandboxId).saved();
      return views.snapshot(
          capturer.capture(
              live,
              new Capturer.Order(
                  Ids.next('s'),
                  SnapshotRecord.Kind.SNAPSHOT,
                  request.name(),
                  request.description(),
                  record.sourceId(),
                  null,
                  request.memoryMode(),
                  Durability.DURABLE)));
    }
  }

  private static void checkDescription(@Nullable String description) {
    if (description != null && description.length() > MOST_DESCRIPTION) {
      throw RametException.invalid(
          "description", "must have at most " + MOST_DESCRIPTION + " characters");
    }
  }

  @Override
  public Snapshot get(String idOrName) {
    return views.snapshot(find(idOrName));
  }

  private SnapshotRecord find(String idOrName) {
    return context
        .snapshots()
        .resolve(idOrName)
        .filter(record -> record.kind() == SnapshotRecord.Kind.SNAPSHOT)
        .orElseThrow(() -> RametException.notFound("snapshot", idOrName));
  }

  @Override
  public List<Snapshot> list(@Nullable String sandboxId) {
    return context.snapshots().all().stream()
        .filter(record -> record.kind() == SnapshotRecord.Kind.SNAPSHOT && !record.deleted())
        .filter(record -> sandboxId == null || sandboxId.equals(record.sandboxId()))
        .sorted(
            Comparator.comparing(SnapshotRecord::createdAt)
                .reversed()
                .thenComparing(SnapshotRecord::id))
        .map(views::snapshot)
        .toList();
  }

  @Override
  public void delete(String idOrName, boolean strict) {
    SnapshotRecord record = find(idOrName);
    List<String> users = reclaimer.users(record.id());
    if (strict && !users.isEmpty()) {
      throw new RametException(
          ErrorCode.CONFLICT,
          "snapshot " + record.id() + " is in use by " + String.join(", ", users),
          "kill those sandboxes, or delete without strict: its files then go with the last of them",
          null);
    }
    reclaimer.delete(record);
  }
}
