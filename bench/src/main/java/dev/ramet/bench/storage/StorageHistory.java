// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.storage;

import dev.ramet.bench.host.Floors;
import dev.ramet.bench.host.Host;
import dev.ramet.bench.host.Settings;
import dev.ramet.bench.report.Progress;
import dev.ramet.bench.report.Result;
import dev.ramet.bench.report.Samples;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.CopyOnWriteExtent;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.OpenFlag;
import dev.ramet.spi.storage.CopyPreparation;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.ImageCompaction;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.WriteLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Takes snapshots of a 1 GiB image, of which 4096 pages drawn at random are overwritten in between,
 * and compares the cost of the hundredth with that of the first. Used by one thread.
 */
final class StorageHistory {
  static final long SIZE = 1L << 30;
  static final int PAGES = 4096;
  private static final int FIRSTS = 5;
  static final int LASTS = 5;

  static final int GENERATIONS = 100;

  /**
   * In a quick run and in the naive chain, one in this many generations is kept before the last
   * ones.
   */
  static final int STRIDE = 10;

  private static final int WARM_UP = 300;

  /** As in the engine: the bytes that compaction may add, as a share of the bytes written. */
  private static final double ADDED_SHARE = 0.1;

  /**
   * The pages that a busy machine writes to its disk between the last preparation and the pause.
   */
  static final int PAGES_LATE = 32;

  private static final NodeId BASE = NodeId.of("base");
  private static final NodeId WARM = NodeId.of("warm");

  private final Settings settings;
  private final Floors floors;
  private final Pool pool;
  private final Random random = new Random(2);
  private final PageLog log = new PageLog();
  private final int stride;
  private final HistorySeries first = new HistorySeries();
  private final HistorySeries last = new HistorySeries();
  private final HistoryReport report;
  private final Samples background = new Samples();
  private long creditBytes;
  private long addedBytes;
  private long pieces;

  StorageHistory(Settings settings, Floors floors, Pool pool) {
    this.settings = settings;
    this.floors = floors;
    this.pool = pool;
    this.report = new HistoryReport(pool.name(), first);
    this.stride = settings.times(1, STRIDE);
  }

  /**
   * Measures memory images: each is a fork of the previous one, written in scattered places and
   * sealed.
   */
  List<Result> memory() throws IOException, InterruptedException {
    try (StorageBackend backend = open()) {
      for (int i = 1; i <= FIRSTS; i++) {
        image(backend, BASE, NodeId.of("first-" + i), 1, first);
      }
      long before = pool.settledBytes(settings, floors);
      long written = 0;
      NodeId previous = BASE;
      int rounds = 0;
      for (int i = 1; i <= GENERATIONS; i++) {
        rounds++;
        if (!isKept(i)) {
          continue;
        }
        say("memory image", i);
        NodeId id = NodeId.of("m-" + i);
        int pages = image(backend, previous, id, rounds, i > GENERATIONS - LASTS ? last : null);
        rounds = 0;
        long more = (long) Pool.PAGE * pages;
        written += more;
        settle(backend, id, more);
        previous = id;
      }
      ((CopyPreparation) backend).discard(previous);
      report("memory", "fork", written, pool.settledBytes(settings, floors) - before);
      report.compaction(pieces, addedBytes);
    }
    return report.results();
  }

  private boolean isKept(int generation) {
    return isKept(generation, stride);
  }

  static boolean isKept(int generation, int stride) {
    return generation % stride == 0 || generation >= GENERATIONS - LASTS;
  }

  private int image(
      StorageBackend backend, NodeId from, NodeId id, int rounds, @Nullable HistorySeries into)
      throws IOException {
    long begin = System.nanoTime();
    backend.fork(from, id, Durability.RELAXED);
    double cloned = Host.millisSince(begin);
    Path path = backend.attach(id).path();
    noReserve(path);
    int pages = Pool.overwrite(path, rounds * PAGES, random);
    backend.seal(id, Durability.DURABLE);
    if (into != null) {
      into.clones().add(cloned);
      into.whole().add(Host.millisSince(begin));
    }
    return pages;
  }

  /**
   * Measures snapshots of a disk in use: flushed and prepared before the pause, snapshotted during
   * it. The writer logs its writes, as QEMU does; the end of the history is also measured without
   * the log.
   */
  List<Result> disk() throws IOException, InterruptedException {
    try (StorageBackend backend = open()) {
      for (int i = 1; i <= FIRSTS; i++) {
        NodeId disk = NodeId.of("first-" + i);
        backend.fork(BASE, disk, Durability.DURABLE);
        noReserve(backend.attach(disk).path());
        write(backend, disk, PAGES);
        snapshot(backend, disk, NodeId.of(disk + "-s"), log, first);
        first.late().add(snapshotLate(backend, disk, NodeId.of(disk + "-t"), log));
        log.forget();
      }
      NodeId disk = NodeId.of("disk");
      backend.fork(BASE, disk, Durability.DURABLE);
      noReserve(backend.attach(disk).path());
      long before = pool.settledBytes(settings, floors);
      long written = 0;
      int rounds = 0;
      for (int i = 1; i <= GENERATIONS; i++) {
        rounds++;
        if (!isKept(i)) {
          continue;
        }
        say("disk", i);
        written += (long) write(backend, disk, rounds * PAGES) * Pool.PAGE;
        rounds = 0;
        snapshot(backend, disk, NodeId.of("s-" + i), log, i > GENERATIONS - LASTS ? last : null);
        prepare(backend, disk);
      }
      ((CopyPreparation) backend).discard(disk);
      report(
          "disk", "snapshot in the pause", written, pool.settledBytes(settings, floors) - before);
      for (int i = 1; i <= LASTS; i++) {
        last.late().add(snapshotLate(backend, disk, NodeId.of("late-" + i), log));
      }
      report.late("the same, written late", last, HistoryReport.PAUSE_RATIO);
      HistorySeries compared = new HistorySeries();
      for (int i = 1; i <= LASTS; i++) {
        prepare(backend, disk);
        write(backend, disk, PAGES);
        snapshot(backend, disk, NodeId.of("compared-" + i), WriteLog.NONE, compared);
        compared
            .late()
            .add(snapshotLate(backend, disk, NodeId.of("late-compared-" + i), WriteLog.NONE));
      }
      report.whole("disk, generation " + GENERATIONS + ": all of it, without a log", compared, 0);
      report.late("written late, without a log", compared, 0);
    }
    return report.results();
  }

  private int write(StorageBackend backend, NodeId disk, int pages) throws IOException {
    return log.overwrite(backend.attach(disk).path(), pages, random);
  }

  private static void snapshot(
      StorageBackend backend, NodeId disk, NodeId id, WriteLog told, @Nullable HistorySeries into) {
    long begin = System.nanoTime();
    backend.flush(disk);
    catchUp(backend, disk, told);
    long paused = System.nanoTime();
    backend.snapshot(disk, id, Durability.RELAXED, told);
    double cloned = Host.millisSince(paused);
    backend.flush(id);
    if (into != null) {
      into.clones().add(cloned);
      into.whole().add(Host.millisSince(begin));
    }
  }

  /**
   * Returns the duration, in milliseconds, of the clone during the pause of a disk that was written
   * since its preparation.
   */
  private double snapshotLate(StorageBackend backend, NodeId disk, NodeId id, WriteLog told)
      throws IOException {
    backend.flush(disk);
    catchUp(backend, disk, told);
    write(backend, disk, PAGES_LATE);
    long paused = System.nanoTime();
    backend.snapshot(disk, id, Durability.RELAXED, told);
    return Host.millisSince(paused);
  }

  private static void catchUp(StorageBackend backend, NodeId disk, WriteLog told) {
    ((CopyPreparation) backend).prepare(disk, 1, told);
  }

  private StorageBackend open() throws IOException {
    say("image", 0);
    StorageBackend backend = pool.open("history");
    backend.create(BASE, SIZE);
    Pool.fill(backend, BASE, SIZE);
    backend.seal(BASE, Durability.DURABLE);
    for (int i = 0; i < WARM_UP; i++) {
      backend.fork(BASE, WARM, Durability.RELAXED);
      backend.snapshot(WARM, NodeId.of("warm-s"), Durability.RELAXED);
      backend.delete(NodeId.of("warm-s"));
      backend.delete(WARM);
    }
    return backend;
  }

  /** Does the background work on a new image, while the next one is written. */
  private void settle(StorageBackend backend, NodeId id, long writtenBytes) {
    long begin = System.nanoTime();
    creditBytes += (long) (ADDED_SHARE * writtenBytes);
    ImageCompaction.Compacted done = ((ImageCompaction) backend).compact(id, creditBytes, 1);
    creditBytes -= done.addedBytes();
    addedBytes += done.addedBytes();
    pieces = done.piecesAfter();
    ((CopyPreparation) backend).prepare(id, 1);
    background.add(Host.millisSince(begin));
  }

  /** Does the background work after an operation, while the next one writes. */
  private void prepare(StorageBackend backend, NodeId id) {
    long begin = System.nanoTime();
    catchUp(backend, id, log);
    background.add(Host.millisSince(begin));
  }

  private void say(String what, int generation) {
    if (generation % 10 == 0) {
      Progress.say(pool.name() + ": " + what + " " + generation);
    }
  }

  /**
   * Stops XFS from reserving space around a page, as the engine does for images that are written
   * once.
   */
  private static void noReserve(Path path) throws IOException {
    try (Fd fd = Fd.open(path, Set.of(OpenFlag.READ, OpenFlag.WRITE), 0)) {
      CopyOnWriteExtent.set(fd, Pool.PAGE);
    } catch (LinuxException e) {
      if (e.errno() != LinuxException.EOPNOTSUPP && e.errno() != LinuxException.ENOTTY) {
        throw new IOException(e);
      }
    }
  }

  private void report(String what, String clone, long writtenBytes, long usedBytes)
      throws IOException, InterruptedException {
    report.generations(what, clone, last, writtenBytes, usedBytes);
    report.background(what, background);
    report.naive(what, last, new NaiveChain(settings, floors, pool).run());
  }
}
