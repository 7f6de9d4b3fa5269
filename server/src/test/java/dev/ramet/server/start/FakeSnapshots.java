// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import dev.ramet.engine.IdListener;
import dev.ramet.engine.Shape;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.ImageDifference;
import dev.ramet.engine.snapshots.NewSnapshot;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.engine.snapshots.SnapshotDifference;
import dev.ramet.engine.snapshots.Snapshots;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Snapshots in memory, with memory mode incremental. One named {@code used} is in use. */
final class FakeSnapshots implements Snapshots {
  final Map<String, Snapshot> byId = new ConcurrentHashMap<>();

  /** The last request. */
  volatile @Nullable NewSnapshot last;

  /** Whether sandboxes have changed since their last snapshot. */
  volatile boolean changed = true;

  /** The snapshots that requests waited for. */
  final List<String> awaited = new CopyOnWriteArrayList<>();

  private final AtomicInteger count = new AtomicInteger();
  private final FakeEngine engine;

  FakeSnapshots(FakeEngine engine) {
    this.engine = engine;
  }

  @Override
  public Snapshot create(NewSnapshot request, IdListener ids) {
    String name = request.name();
    String memoryMode = request.memoryMode();
    if (memoryMode != null && !memoryMode.equals("incremental")) {
      throw RametException.invalid("memoryMode", "must be one of incremental");
    }
    last = request;
    Sandbox sandbox = engine.sandboxes.get(request.sandboxId());
    String[] parts = name == null ? new String[0] : name.split(":", -1);
    List<String> tags = name == null ? List.of() : List.of(parts.length > 1 ? parts[1] : "default");
    Snapshot made =
        new Snapshot(
            "snap" + count.incrementAndGet(),
            new Snapshot.Label(name == null ? null : parts[0], tags, request.description()),
            new Snapshot.Condition(
                request.untilReady() ? Snapshot.Status.READY : Snapshot.Status.WRITING, null),
            new Snapshot.Origin(sandbox.id(), sandbox.templateId()),
            Instant.now(),
            new Shape(1, 512L << 20, 1L << 30),
            new Snapshot.Usage(4096, "used".equals(name) ? List.of(sandbox.id()) : List.of()),
            new Snapshot.Memory(
                new Snapshot.WorkingSet("snap0", 3, 12_288, true), FakeCapture.report()));
    byId.values().stream()
        .filter(s -> name != null && parts[0].equals(s.name()) && s.tags().equals(tags))
        .forEach(s -> byId.put(s.id(), untagged(s)));
    byId.put(made.id(), made);
    return made;
  }

  private static Snapshot untagged(Snapshot s) {
    return new Snapshot(
        s.id(),
        new Snapshot.Label(s.name(), List.of(), s.description()),
        new Snapshot.Condition(s.status(), s.statusDetail()),
        new Snapshot.Origin(s.sandboxId(), s.templateId()),
        s.createdAt(),
        new Shape(s.cpuCount(), s.memoryBytes(), s.diskBytes()),
        new Snapshot.Usage(s.exclusiveBytes(), s.usedBy()),
        new Snapshot.Memory(s.workingSet(), s.capture()));
  }

  /** Returns the newest snapshot unless {@link #changed} is true. */
  @Override
  public Optional<Snapshot> findUnchanged(String sandboxId) {
    engine.sandboxes.get(sandboxId);
    return changed ? Optional.empty() : list(sandboxId).stream().findFirst();
  }

  @Override
  public void await(String idOrName, Duration timeout) {
    awaited.add(idOrName);
  }

  @Override
  public Snapshot get(String idOrName) {
    String[] parts = idOrName.split(":", -1);
    String tag = parts.length > 1 ? parts[1] : "default";
    return byId.values().stream()
        .filter(
            s -> s.id().equals(parts[0]) || (parts[0].equals(s.name()) && s.tags().contains(tag)))
        .max(Comparator.comparing(Snapshot::createdAt))
        .orElseThrow(() -> RametException.notFound("snapshot", idOrName));
  }

  @Override
  public List<Snapshot> list(@Nullable String sandboxId) {
    return byId.values().stream()
        .filter(s -> sandboxId == null || sandboxId.equals(s.sandboxId()))
        .sorted(Comparator.comparing(Snapshot::createdAt).reversed())
        .toList();
  }

  @Override
  public SnapshotDifference diff(String a, String b, int mostRanges) {
    ImageDifference disk =
        new ImageDifference(
            1 << 20,
            8192,
            1,
            mostRanges == 0 ? List.of() : List.of(new ImageDifference.Range(4096, 8192)),
            4096,
            16_384);
    return new SnapshotDifference(get(a).id(), get(b).id(), null, disk, 1_500_000);
  }

  @Override
  public void delete(String idOrName, boolean strict) {
    List<Snapshot> named = byId.values().stream().filter(s -> idOrName.equals(s.name())).toList();
    List<Snapshot> all = named.isEmpty() ? List.of(get(idOrName)) : named;
    if (strict && all.stream().anyMatch(s -> !s.usedBy().isEmpty())) {
      throw new RametException(ErrorCode.CONFLICT, "used by others");
    }
    byId.values().removeAll(all);
  }
}
