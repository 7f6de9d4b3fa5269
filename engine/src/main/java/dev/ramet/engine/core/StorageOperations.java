// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.core;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.engine.Storage;
import dev.ramet.engine.store.Layout;
import dev.ramet.engine.store.SnapshotRecord;
import dev.ramet.linux.FsInfo;
import dev.ramet.linux.LinuxException;
import dev.ramet.spi.storage.CopyProgress;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageFinding;
import dev.ramet.spi.storage.Usage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The roots as the engine's operator sees them. Thread-safe. */
final class StorageOperations implements Storage {
  private static final int PAGE = 512;

  private final Context context;
  private final List<Check.Place> places;
  private final Reclaimer reclaimer;
  private final Importer importer;

  /** Two that put the same things in order would tell each other's work as failures. */
  private final ReentrantLock checking = new ReentrantLock();

  StorageOperations(
      Context context, List<Check.Place> places, Reclaimer reclaimer, Importer importer) {
    this.context = context;
    this.places = List.copyOf(places);
    this.reclaimer = reclaimer;
    this.importer = importer;
  }

  @Override
  public Report check(boolean repair) {
    return look(repair ? Findings.Mode.REPAIR : Findings.Mode.LOOK);
  }

  @Override
  public List<StorageFinding> collect(boolean dryRun) {
    return look(dryRun ? Findings.Mode.LOOK : Findings.Mode.COLLECT).findings().stream()
        .filter(finding -> finding.kind() == StorageFinding.Kind.LEFTOVER)
        .toList();
  }

  private Report look(Findings.Mode mode) {
    checking.lock();
    try {
      return new Check(context, places, reclaimer, new Findings(mode)).run();
    } catch (IOException e) {
      throw Errors.io("cannot look through the root", context.layout().root(), e);
    } catch (UncheckedIOException e) {
      throw Errors.any("cannot look through the root", context.layout().root(), e);
    } finally {
      checking.unlock();
    }
  }

  @Override
  public Exchanged exportTo(
      String idOrName, @Nullable String since, Path directory, CopyProgress progress) {
    return new Exporter(context, places, reclaimer).export(idOrName, since, directory, progress);
  }

  @Override
  public Exchanged importFrom(Path directory, @Nullable String name, CopyProgress progress) {
    return importer.run(directory, name, progress);
  }

  @Override
  public List<RootUsage> usage(Consumer<NodeUsage> nodes) {
    List<RootUsage> sums = new ArrayList<>();
    for (Check.Place place : places) {
      sums.add(usage(place, nodes));
    }
    return List.copyOf(sums);
  }

  private RootUsage usage(Check.Place place, Consumer<NodeUsage> nodes) {
    long count = 0;
    long exclusive = 0;
    NodeId last = null;
    List<Node> page = place.storage().page(null, PAGE);
    while (!page.isEmpty()) {
      for (Node node : page) {
        last = node.id();
        Optional<Usage> usage = usage(place, node.id());
        if (usage.isPresent()) {
          count++;
          exclusive += usage.get().exclusiveBytes();
          nodes.accept(view(place, node, usage.get()));
        }
      }
      page = place.storage().page(last, PAGE);
    }
    try {
      FsInfo info = FsInfo.of(place.path());
      return new RootUsage(
          place.path(),
          place.root().provider().id(),
          count,
          exclusive,
          info.totalBytes(),
          info.freeBytes());
    } catch (LinuxException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT, "cannot look at " + place.path() + ": " + e.getMessage(), e);
    }
  }

  /** Nothing for a node that is deleted meanwhile. */
  private static Optional<Usage> usage(Check.Place place, NodeId id) {
    try {
      return Optional.of(place.storage().usage(id));
    } catch (RametException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private NodeUsage view(Check.Place place, Node node, Usage usage) {
    String owner = Layout.owner(node.id());
    return new NodeUsage(
        place.path(),
        node.id().value(),
        owner,
        context.snapshots().find(owner).map(SnapshotRecord::name).orElse(null),
        node.sizeBytes(),
        usage.exclusiveBytes(),
        usage.referencedBytes());
  }
}
