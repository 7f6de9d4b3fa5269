// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.snapshot;

import dev.ramet.engine.Intents;
import dev.ramet.engine.NewSnapshot;
import dev.ramet.engine.Snapshot;
import dev.ramet.engine.SnapshotDifference;
import dev.ramet.engine.Snapshots;
import dev.ramet.engine.capture.Capturer;
import dev.ramet.engine.capture.ChangeDetector;
import dev.ramet.engine.capture.DiskCapturer;
import dev.ramet.engine.capture.PausedCapturer;
import dev.ramet.engine.capture.Replacement;
import dev.ramet.engine.core.Context;
import dev.ramet.engine.machine.GuestFreeze;
import dev.ramet.engine.sandbox.Views;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.Names;
import dev.ramet.engine.state.PendingSnapshots;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.Ids;
import dev.ramet.engine.support.TaggedName;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.Durability;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Implements {@link Snapshots}: takes, lists, compares and deletes snapshots. */
public final class SnapshotOperations implements Snapshots {
  private static final int MOST_DESCRIPTION = 1000;

  private final Context context;
  private final Capturer capturer;
  private final PausedCapturer paused;
  private final DiskCapturer disks;
  private final SnapshotReclaimer reclaimer;
  private final Views views;
  private final Executor workers;

  /**
   * Creates the operations.
   *
   * @param workers finish captures that a caller does not wait for
   */
  public SnapshotOperations(
      Context context,
      Capturer capturer,
      SnapshotReclaimer reclaimer,
      Views views,
      Executor workers) {
    this.context = context;
    this.capturer = capturer;
    this.paused = new PausedCapturer(context, reclaimer);
    this.disks = new DiskCapturer(context);
    this.reclaimer = reclaimer;
    this.views = views;
    this.workers = workers;
  }

  @Override
  public Snapshot create(NewSnapshot wanted) {
    String sandboxId = wanted.sandboxId();
    checkDescription(wanted.description());
    NewSnapshot request =
        wanted.replacing(Replacement.resolve(context, sandboxId, wanted.replaces()));
    LiveSandbox live = context.sandboxes().get(sandboxId);
    if (!request.untilReady() && request.memory() && !PausedCapturer.fits(live.saved())) {
      return views.snapshot(new BackgroundCapture(context, capturer, request).start(live, workers));
    }
    try (LiveSandbox.Hold hold = live.hold("snapshot");
        Names.Reservation reservation = reserve(context, request)) {
      SandboxRecord record = context.sandboxes().get(sandboxId).saved();
      String id = Ids.next('s');
      Intents.tell(List.of(id));
      Capturer.Order order = Capturer.Order.of(id, request, record.sourceId(), Durability.DURABLE);
      if (request.memory() && !PausedCapturer.fits(record)) {
        return views.lastSnapshot(live, capturer.capture(live, order));
      }
      SnapshotRecord made =
          PausedCapturer.fits(record)
              ? paused.capture(record, order, request.memory())
              : captureDisk(live, order);
      new Replacement(context, reclaimer).giveUp(order.replaces());
      return views.lastSnapshot(live, made);
    }
  }

  /**
   * Reserves the snapshot's name. Another snapshot may have it: the tag moves to the new one when
   * that is ready.
   */
  static Names.Reservation reserve(Context context, NewSnapshot request) {
    return context
        .snapshots()
        .names()
        .reserve(
            TaggedName.ofNullable("name", request.name()), SnapshotRecord.Kind.SNAPSHOT, false);
  }

  private SnapshotRecord captureDisk(LiveSandbox live, Capturer.Order order) {
    SandboxRecord record = live.saved();
    if (order.memoryMode() != null || order.verify()) {
      throw RametException.invalid(
          "memory", "without it, a memory mode or its verification makes no sense");
    }
    try (GuestFreeze files =
        new GuestFreeze(context, record, live.runningMachine(), "take it with its memory")) {
      return disks.capture(record, order, Instant.now(), files::thaw);
    }
  }

  @Override
  public Optional<Snapshot> unchanged(String sandboxId) {
    LiveSandbox live = context.sandboxes().get(sandboxId);
    try (LiveSandbox.Hold hold = live.hold("snapshot")) {
      SandboxRecord record = context.sandboxes().get(sandboxId).saved();
      SnapshotRecord same =
          PausedCapturer.fits(record)
              ? paused.made(record)
              : new ChangeDetector(context, reclaimer).since(live);
      return Optional.ofNullable(same)
          .map(found -> views.lastSnapshot(live, found))
          .filter(snapshot -> snapshot.status() != Snapshot.Status.BROKEN);
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
    PendingSnapshots.Entry writing = context.writings().find(idOrName);
    SnapshotRecord record = published(idOrName);
    if (record != null) {
      return views.snapshot(record);
    }
    if (writing == null) {
      throw context.snapshots().names().missing("snapshot", idOrName);
    }
    return views.snapshot(writing);
  }

  private @Nullable SnapshotRecord published(String idOrName) {
    return context
        .snapshots()
        .names()
        .resolve(idOrName)
        .filter(record -> record.kind() == SnapshotRecord.Kind.SNAPSHOT)
        .orElse(null);
  }

  @Override
  public void await(String idOrName, Duration timeout) {
    context.writings().await(idOrName, timeout);
  }

  @Override
  public SnapshotDifference diff(String a, String b, int mostRanges) {
    return new SnapshotDiff(context, reclaimer).compare(a, b, mostRanges);
  }

  @Override
  public List<Snapshot> list(@Nullable String sandboxId) {
    // In this order, so that a snapshot published in between is found twice, never missed.
    Map<String, Snapshot> found = new HashMap<>();
    for (PendingSnapshots.Entry writing : context.writings().all()) {
      found.put(writing.id(), views.snapshot(writing));
    }
    for (SnapshotRecord record : context.snapshots().all()) {
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
    PendingSnapshots.Entry writing = context.writings().find(idOrName);
    List<SnapshotRecord> records =
        context.snapshots().names().resolveAll(idOrName).stream()
            .filter(record -> record.kind() == SnapshotRecord.Kind.SNAPSHOT)
            .toList();
    if (records.isEmpty()) {
      if (writing == null) {
        throw context.snapshots().names().missing("snapshot", idOrName);
      }
      if (writing.failure() == null) {
        throw context.writings().refusal(writing);
      }
      context.writings().forget(writing);
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
          "kill those sandboxes, or delete without strict: its files then go with the last of them",
          null);
    }
  }
}
