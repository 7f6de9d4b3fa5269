// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server;

import dev.ramet.engine.Storage;
import dev.ramet.spi.storage.StorageFinding;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A root of three leftovers that can be counted and taken away. */
final class FakeStorage implements Storage {
  private static final Path ROOT = Path.of("/data");
  final List<StorageFinding> leftovers = new ArrayList<>();
  int nodes = 3;

  FakeStorage() {
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
}
