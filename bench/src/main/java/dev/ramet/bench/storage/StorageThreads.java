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
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

/** Measures many threads, each with a separate volume. Used by one thread. */
final class StorageThreads {
  private static final int THREADS = 32;
  private static final int EACH = 100;
  private static final long SIZE = 8L << 20;

  /** 0.8 of the floor's rate. */
  private static final double RATIO = 1.25;

  private static final double NANOS_PER_MILLI = 1e6;

  private final Settings settings;
  private final Floors floors;
  private final Pool pool;

  StorageThreads(Settings settings, Floors floors, Pool pool) {
    this.settings = settings;
    this.floors = floors;
    this.pool = pool;
  }

  List<Result> run() throws IOException, InterruptedException {
    Path directory = pool.directory("threads-floor");
    for (int i = 1; i <= THREADS; i++) {
      Pool.fill(directory.resolve(Integer.toString(i)), SIZE);
    }
    List<Result> results = new ArrayList<>();
    try (StorageBackend backend = pool.open("threads")) {
      for (int i = 1; i <= THREADS; i++) {
        NodeId volume = NodeId.of("v" + i);
        backend.create(volume, SIZE);
        Pool.fill(backend, volume, SIZE);
      }
      for (Durability durability : Durability.values()) {
        String how = durability.name().toLowerCase(Locale.ROOT);
        Progress.say(pool.name() + ": " + THREADS + " threads, " + how);
        Samples ours = new Samples();
        Samples least = new Samples();
        for (int round = 0; round <= settings.times(7, 2); round++) {
          double took = round(backend, durability);
          double floor =
              Long.parseLong(
                      floors
                          .run(
                              StorageSuite.floor(
                                  settings, "threads", directory, THREADS, EACH, how),
                              directory)
                          .get(0))
                  / NANOS_PER_MILLI;
          if (round > 0) {
            ours.add(took / THREADS / EACH);
            least.add(floor / THREADS / EACH);
          }
        }
        results.add(
            Result.of(pool.name() + " snapshot, 32 threads, " + how, "ms", ours)
                .over(least)
                .ratioAtMost(RATIO)
                .note("time in all through snapshots"));
      }
    }
    Files.writeString(directory.resolve("done"), "");
    return results;
  }

  private static double round(StorageBackend backend, Durability durability)
      throws InterruptedException {
    CyclicBarrier begin = new CyclicBarrier(THREADS + 1);
    CyclicBarrier end = new CyclicBarrier(THREADS + 1);
    List<Thread> threads = new ArrayList<>();
    for (int i = 1; i <= THREADS; i++) {
      NodeId volume = NodeId.of("v" + i);
      Thread thread =
          new Thread(
              () -> {
                await(begin);
                for (int j = 0; j < EACH; j++) {
                  backend.snapshot(volume, NodeId.of(volume + "-" + j), durability);
                }
                await(end);
                for (int j = 0; j < EACH; j++) {
                  backend.delete(NodeId.of(volume + "-" + j));
                }
              });
      thread.start();
      threads.add(thread);
    }
    await(begin);
    long start = System.nanoTime();
    await(end);
    double took = Host.millisSince(start);
    for (Thread thread : threads) {
      thread.join();
    }
    return took;
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (InterruptedException | BrokenBarrierException e) {
      throw new IllegalStateException(e);
    }
  }
}
