// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.storage;

import dev.ramet.bench.host.Floors;
import dev.ramet.bench.host.Host;
import dev.ramet.bench.host.Settings;
import dev.ramet.bench.report.Progress;
import dev.ramet.bench.report.Result;
import dev.ramet.bench.report.Samples;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Measures snapshots and forks of a clean volume with few extents. Used by one thread. */
final class StorageCopies {
  private static final long SIZE = 1L << 30;
  private static final long DATA = 64L << 20;
  private static final int WARM_UP = 20;
  private static final int BLOCK = 50;
  private static final double RATIO = 2;
  private static final double SPAWN_RATIO = 0.01;
  private static final double NANOS_PER_MILLI = 1e6;
  private static final NodeId V = NodeId.of("v");
  private static final NodeId S = NodeId.of("s");

  private final Settings settings;
  private final Floors floors;
  private final Pool pool;

  StorageCopies(Settings settings, Floors floors, Pool pool) {
    this.settings = settings;
    this.floors = floors;
    this.pool = pool;
  }

  List<Result> run() throws IOException, InterruptedException {
    List<Result> results = new ArrayList<>();
    try (StorageBackend backend = pool.open("copies")) {
      backend.create(V, SIZE);
      Pool.fill(backend, V, DATA);
      backend.snapshot(V, S, Durability.DURABLE);
      @Nullable Samples quick = null;
      for (boolean fork : new boolean[] {false, true}) {
        for (Durability durability : Durability.values()) {
          Progress.say(pool.name() + ": " + (fork ? "forks, " : "snapshots, ") + durability);
          Samples ours = new Samples();
          Samples least = new Samples();
          measure(backend, fork, durability, ours, least);
          String how = durability.name().toLowerCase(Locale.ROOT);
          results.add(
              Result.of(pool.name() + (fork ? " fork " : " snapshot ") + how, "ms", ours)
                  .over(least)
                  .ratioAtMost(RATIO));
          if (!fork && durability == Durability.RELAXED) {
            quick = ours;
          }
        }
      }
      if (quick != null) {
        results.add(besideProgram(backend, quick));
      }
    }
    return results;
  }

  /** Alternates between both, so that they meet the same load. */
  private void measure(
      StorageBackend backend, boolean fork, Durability durability, Samples ours, Samples least)
      throws IOException, InterruptedException {
    Path source = backend.attach(fork ? S : V).path();
    Path directory = pool.directory("floor");
    int rounds = settings.times(8, 2);
    for (int i = 0; i < (durability == Durability.RELAXED ? WARM_UP : 1); i++) {
      copies(backend, fork, durability, new Samples());
    }
    for (int round = 0; round < rounds; round++) {
      copies(backend, fork, durability, ours);
      for (String line :
          floors.run(
              StorageSuite.floor(
                  settings,
                  fork ? "fork" : "snapshot",
                  source,
                  directory,
                  BLOCK,
                  durability.name().toLowerCase(Locale.ROOT)),
              directory)) {
        least.add(Long.parseLong(line) / NANOS_PER_MILLI);
      }
    }
  }

  /**
   * Makes several copies and deletes them only afterwards, because a deletion waits for the disk.
   */
  private static void copies(
      StorageBackend backend, boolean fork, Durability durability, Samples into) {
    for (int i = 0; i < BLOCK; i++) {
      NodeId id = NodeId.of("n" + i);
      long begin = System.nanoTime();
      if (fork) {
        backend.fork(S, id, durability);
      } else {
        backend.snapshot(V, id, durability);
      }
      into.add(Host.millisSince(begin));
    }
    for (int i = 0; i < BLOCK; i++) {
      backend.delete(NodeId.of("n" + i));
    }
  }

  private Result besideProgram(StorageBackend backend, Samples ours)
      throws IOException, InterruptedException {
    Path source = backend.attach(V).path();
    Path target = pool.directory("floor").resolve("copy");
    Samples program = new Samples();
    for (int i = 0; i < settings.times(20, 5); i++) {
      program.add(
          floors.time(
              List.of("cp", "--reflink=always", source.toString(), target.toString()), Map.of()));
      Files.delete(target);
    }
    return Result.of(pool.name() + " snapshot relaxed beside cp", "ms", ours)
        .over(program)
        .ratioAtMost(SPAWN_RATIO)
        .note("floor: cp --reflink=always, started from Java");
  }
}
