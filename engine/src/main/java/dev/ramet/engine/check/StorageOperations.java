// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.check;

import dev.ramet.engine.IdListener;
import dev.ramet.engine.Storage;
import dev.ramet.engine.exchange.Exporter;
import dev.ramet.engine.exchange.Importer;
import dev.ramet.engine.space.FreeSpace;
import dev.ramet.spi.storage.StorageFinding;
import dev.ramet.spi.storage.image.CopyProgress;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Implements {@link Storage}: checks, cleans up, exports and imports. Thread-safe. */
public final class StorageOperations implements Storage {
  private final RootChecks looks;
  private final Exporter exporter;
  private final Importer importer;
  private final FreeSpace space;

  public StorageOperations(
      RootChecks looks, Exporter exporter, Importer importer, FreeSpace space) {
    this.looks = looks;
    this.exporter = exporter;
    this.importer = importer;
    this.space = space;
  }

  @Override
  public Report check(boolean repair) {
    return looks.check(repair ? FindingCollector.Mode.REPAIR : FindingCollector.Mode.LOOK);
  }

  @Override
  public List<StorageFinding> collect(boolean dryRun) {
    return looks
        .check(dryRun ? FindingCollector.Mode.LOOK : FindingCollector.Mode.COLLECT)
        .findings()
        .stream()
        .filter(finding -> finding.kind() == StorageFinding.Kind.LEFTOVER)
        .toList();
  }

  @Override
  public Exchanged exportTo(
      String idOrName, @Nullable String since, Path directory, CopyProgress progress) {
    return exporter.export(idOrName, since, directory, progress);
  }

  @Override
  public Exchanged importFrom(
      Path directory, @Nullable String name, CopyProgress progress, IdListener ids) {
    space.require("import " + directory);
    return importer.run(directory, name, progress, ids);
  }

  @Override
  public List<RootUsage> usage(Consumer<NodeUsage> nodes) {
    return looks.usage(nodes);
  }
}
