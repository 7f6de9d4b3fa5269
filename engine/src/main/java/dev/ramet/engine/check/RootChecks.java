// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.check;

import dev.ramet.engine.Storage;
import dev.ramet.engine.root.OpenRoot;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.RootContents;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.Errors;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.FsInfo;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.Usage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** Checks the roots and sums up their disk usage. Thread-safe. */
public final class RootChecks {
  private static final int PAGE = 512;

  private final RootContents holdings;
  private final List<OpenRoot> places;
  private final SnapshotReclaimer reclaimer;

  /**
   * Allows one check at a time: two that repair the same things would report each other's work as
   * failures.
   */
  private final ReentrantLock checking = new ReentrantLock();

  public RootChecks(RootContents holdings, List<OpenRoot> places, SnapshotReclaimer reclaimer) {
    this.holdings = holdings;
    this.places = List.copyOf(places);
    this.reclaimer = reclaimer;
  }

  /** Runs a check, see {@link Storage#check}. */
  Storage.Report check(FindingCollector.Mode mode) {
    checking.lock();
    try {
      return new CheckRun(
              holdings, places, reclaimer, new FindingCollector(mode, holdings.atRest()))
          .run();
    } catch (IOException e) {
      throw Errors.ioError("cannot look through the root", holdings.layout().root(), e);
    } catch (UncheckedIOException e) {
      throw Errors.translate("cannot look through the root", holdings.layout().root(), e);
    } finally {
      checking.unlock();
    }
  }

  /** Returns the disk usage of each root, see {@link Storage#usage}. */
  List<Storage.RootUsage> usage(Consumer<Storage.NodeUsage> nodes) {
    List<Storage.RootUsage> sums = new ArrayList<>();
    for (OpenRoot place : places) {
      sums.add(usage(place, nodes));
    }
    return List.copyOf(sums);
  }

  private Storage.RootUsage usage(OpenRoot place, Consumer<Storage.NodeUsage> nodes) {
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
          nodes.accept(describeNode(place, node, usage.get()));
        }
      }
      page = place.storage().page(last, PAGE);
    }
    try {
      FsInfo info = FsInfo.of(place.path());
      return new Storage.RootUsage(
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

  /** Returns a node's usage; empty if it is deleted meanwhile. */
  private static Optional<Usage> usage(OpenRoot place, NodeId id) {
    try {
      return Optional.of(place.storage().usage(id));
    } catch (RametException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private Storage.NodeUsage describeNode(OpenRoot place, Node node, Usage usage) {
    String owner = Layout.owner(node.id());
    return new Storage.NodeUsage(
        place.path(),
        node.id().value(),
        owner,
        holdings.snapshots().find(owner).map(SnapshotRecord::name).orElse(null),
        node.sizeBytes(),
        usage.exclusiveBytes(),
        usage.referencedBytes());
  }
}
