// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.settings;

import dev.ramet.engine.IdListener;
import dev.ramet.engine.Storage;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.StorageFinding;
import dev.ramet.spi.storage.image.CopyProgress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A fake storage with three leftovers that can be listed and removed. */
public final class FakeStorage implements Storage {
  private static final Path ROOT = Path.of("/data");
  public final List<StorageFinding> leftovers = new ArrayList<>();
  public int nodes = 3;

  /** The outcomes of exports and imports: done, or stopped. */
  public final BlockingQueue<String> ended = new LinkedBlockingQueue<>();

  /** Exports and imports continue once this latch is open. */
  public volatile CountDownLatch goOn = new CountDownLatch(0);

  public FakeStorage() {
    for (int i = 0; i < 3; i++) {
      leftovers.add(StorageFinding.leftover(ROOT.resolve(".new-" + i), "not finished", 4096));
    }
  }

  @Override
  public synchronized Report check(boolean repair) {
    List<StorageFinding> found = new ArrayList<>(collect(!repair));
    found.add(StorageFinding.foreign(ROOT.resolve("notes"), "not part of a root"));
    found.add(StorageFinding.damage(ROOT.resolve("disk"), "is gone"));
    return new Report(found, 2, 1, nodes);
  }

  @Override
  public synchronized List<StorageFinding> collect(boolean dryRun) {
    List<StorageFinding> found =
        leftovers.stream().map(finding -> dryRun ? finding : finding.mended()).toList();
    if (!dryRun) {
      leftovers.clear();
    }
    return found;
  }

  @Override
  public List<RootUsage> usage(Consumer<NodeUsage> told) {
    for (int i = 0; i < nodes; i++) {
      told.accept(new NodeUsage(ROOT, "n" + i + ".disk", "n" + i, null, 1 << 20, i, 4096));
    }
    return List.of(new RootUsage(ROOT, "copy", nodes, 3, 1 << 30, 1 << 20));
  }

  @Override
  public Exchanged exportTo(
      String idOrName, @Nullable String since, Path directory, CopyProgress progress) {
    return exchange(idOrName, idOrName, since, directory, progress);
  }

  @Override
  public Exchanged importFrom(
      Path directory, @Nullable String name, CopyProgress progress, IdListener ids) {
    return exchange("new", name, null, directory, progress);
  }

  private Exchanged exchange(
      String id,
      @Nullable String name,
      @Nullable String base,
      Path directory,
      CopyProgress progress) {
    if (directory.endsWith("taken")) {
      throw new RametException(ErrorCode.ALREADY_EXISTS, directory + " is there already");
    }
    boolean goes = progress.copied(0, 100);
    try {
      while (goes && !goOn.await(10, TimeUnit.MILLISECONDS)) {
        goes = progress.copied(50, 100);
      }
    } catch (InterruptedException e) {
      goes = false;
    }
    if (!goes || !progress.copied(100, 100)) {
      ended.add("stopped");
      throw new RametException(ErrorCode.CANCELLED, "stopped");
    }
    ended.add("done");
    return new Exchanged(id, name, false, base, directory, 6, 100, 10);
  }
}
