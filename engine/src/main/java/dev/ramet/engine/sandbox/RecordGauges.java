// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandbox;

import dev.ramet.engine.metrics.Registry;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.engine.state.SnapshotStore;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Counts the sandboxes and snapshots on record for the metrics. */
public final class RecordGauges {
  private RecordGauges() {}

  /** Registers gauges of the number of sandboxes and snapshots. */
  public static void register(Registry metrics, SandboxStore sandboxes, SnapshotStore snapshots) {
    metrics.gauge(
        "ramet_sandboxes",
        "Recorded sandboxes, by state.",
        "state",
        () ->
            sandboxes.all().stream()
                .filter(live -> !live.saved().hidden())
                .collect(
                    Collectors.groupingBy(
                        live -> Registry.label(live.saved().state()),
                        TreeMap::new,
                        Collectors.counting())));
    metrics.gauge(
        "ramet_snapshots",
        "Recorded snapshots, templates and the hidden snapshots that clones start from, by"
            + " kind.",
        "kind",
        () ->
            snapshots.all().stream()
                .collect(
                    Collectors.groupingBy(
                        record -> Registry.label(record.kind()),
                        TreeMap::new,
                        Collectors.counting())));
  }
}
