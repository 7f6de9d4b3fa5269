// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.check;

import dev.ramet.engine.Storage;
import dev.ramet.engine.core.Context;
import dev.ramet.engine.exchange.Exporter;
import dev.ramet.engine.exchange.Importer;
import dev.ramet.engine.root.OpenRoot;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.spi.storage.CopyProgress;
import dev.ramet.spi.storage.StorageFinding;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Implements {@link Storage}: checks, cleans up, exports and imports. Thread-safe. */
public final class StorageOperations implements Storage {
  private final Context context;
  private final List<OpenRoot> places;
  private final SnapshotReclaimer reclaimer;
  private final Importer importer;

  private final RootLooks looks;

  public StorageOperations(
      Context context, List<OpenRoot> places, SnapshotReclaimer reclaimer, Importer importer) {
    this.context = context;
    this.places = List.copyOf(places);
    this.reclaimer = reclaimer;
    this.importer = importer;
    this.looks = new RootLooks(context.holdings(), places, reclaimer);
  }

  @Override
  public Report check(boolean repair) {
    return looks.look(repair ? Findings.Mode.REPAIR : Findings.Mode.LOOK);
  }

  @Override
  public List<StorageFinding> collect(boolean dryRun) {
    return looks.look(dryRun ? Findings.Mode.LOOK : Findings.Mode.COLLECT).findings().stream()
        .filter(finding -> finding.kind() == StorageFinding.Kind.LEFTOVER)
        .toList();
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
    return looks.usage(nodes);
  }
}
