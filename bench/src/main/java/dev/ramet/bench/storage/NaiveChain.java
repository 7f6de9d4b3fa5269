// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.storage;

import dev.ramet.bench.host.Floors;
import dev.ramet.bench.host.Settings;
import dev.ramet.bench.report.Progress;
import dev.ramet.bench.report.Samples;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The history of {@link StorageHistory} with clone, write and sync alone: it shows how its clones
 * slow down, and the cost that no method can avoid. Used by one thread.
 */
final class NaiveChain {
  private static final double NANOS_PER_MILLI = 1e6;

  private final Settings settings;
  private final Floors floors;
  private final Pool pool;

  /**
   * The durations of the generations, in milliseconds.
   *
   * @param usedBytes the space of all generations
   */
  record Measured(Samples clones, Samples writes, long usedBytes) {}

  NaiveChain(Settings settings, Floors floors, Pool pool) {
    this.settings = settings;
    this.floors = floors;
    this.pool = pool;
  }

  Measured run() throws IOException, InterruptedException {
    Path directory = pool.directory("naive");
    Pool.fill(directory.resolve("0"), StorageHistory.SIZE);
    long before = pool.settledBytes(settings, floors);
    Samples clones = new Samples();
    Samples writes = new Samples();
    Progress.say(pool.name() + ": the naive chain");
    for (String line : floors.run(command(directory), directory)) {
      int gap = line.indexOf(' ');
      clones.add(Long.parseLong(line.substring(0, gap)) / NANOS_PER_MILLI);
      writes.add(Long.parseLong(line.substring(gap + 1)) / NANOS_PER_MILLI);
    }
    return new Measured(clones, writes, pool.settledBytes(settings, floors) - before);
  }

  private List<String> command(Path directory) {
    List<Object> arguments = new ArrayList<>(List.of("chain", directory, StorageHistory.PAGES));
    int rounds = 0;
    for (int i = 1; i <= StorageHistory.GENERATIONS; i++) {
      rounds++;
      if (StorageHistory.isKept(i, StorageHistory.STRIDE)) {
        arguments.add(rounds);
        rounds = 0;
      }
    }
    return StorageSuite.floor(settings, arguments.toArray());
  }
}
