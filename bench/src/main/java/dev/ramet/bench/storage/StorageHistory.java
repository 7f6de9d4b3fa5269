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
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Takes snapshots of a 1 GiB image, of which 4096 pages drawn at random are overwritten in between,
 * and compares the cost of the hundredth with that of the first. Used by one thread.
 */
final class StorageHistory {
  private static final long SIZE = 1L << 30;
  private static final int PAGES = 4096;
  private static final int FIRSTS = 5;
  private static final int LASTS = 5;

  private static final int GENERATIONS = 100;

  /**
   * In a quick run and in the naive chain, one in this many generations is kept before the last
   * ones.
   */
  private static final int STRIDE = 10;

  private static final double PAUSE_RATIO = 1.2;
  private static final double WHOLE_RATIO = 2;
  private static final double SPACE_RATIO = 1.3;
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double BYTES_PER_MIB = 1 << 20;
  private static final int WARM_UP = 300;

  /** As in the engine: the bytes that compaction may add, as a share of the bytes written. */
  private static final double ADDED_SHARE = 0.1;

  /**
   * The pages that a busy machine writes to its disk between the last preparation and the pause.
   */
  private static final int PAGES_LATE = 32;

  private static final NodeId BASE = NodeId.of("base");
  private static final NodeId WARM = NodeId.of("warm");

  private final Settings settings;
  private final Floors floors;
  private final Pool pool;
  private final Random random = new Random(2);
  private final PageLog log = new PageLog();
  private final int stride;
  private final Series first = new Series();
  private final Series last = new Series();
  private final Samples background = new Samples();
  private long creditBytes;
  private long addedBytes;
  private long pieces;
  private final List<Result> results = new ArrayList<>();

  /** Measurements of some generations. */
  private static final class Series {
    private final Samples clones = new Samples();
    private final Samples late = new Samples();
    private final Samples whole = new Samples();
  }

  StorageHistory(Settings settings, Floors floors, Pool pool) {
    this.settings = settings;
    this.floors = floors;
    this.pool = pool;
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
      long before = settledBytes();
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
      report("memory", "fork", written, settledBytes() - before);
      reportPieces();
    }
    return results;
  }

  private boolean isKept(int generation) {
    return isKept(generation, stride);
  }

  private static boolean isKept(int generation, int stride) {
    return generation % stride == 0 || generation >= GENERATIONS - LASTS;
  }

  private int image(
      StorageBackend backend, NodeId from, NodeId id, int rounds, @Nullable Series into)
      throws IOException {
    long begin = System.nanoTime();
    backend.fork(from, id, Durability.RELAXED);
    double cloned = Host.millisSince(begin);
    Path path = backend.attach(id).path();
    noReserve(path);
    int pages = Pool.overwrite(path, rounds * PAGES, random);
    backend.seal(id, Durability.DURABLE);
    if (into != null) {
      into.clones.add(cloned);
      into.whole.add(Host.millisSince(begin));
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
        first.late.add(snapshotLate(backend, disk, NodeId.of(disk + "-t"), log));
        log.forget();
      }
      NodeId disk = NodeId.of("disk");
      backend.fork(BASE, disk, Durability.DURABLE);
      noReserve(backend.attach(disk).path());
      long before = settledBytes();
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
      report("disk", "snapshot in the pause", written, settledBytes() - before);
      for (int i = 1; i <= LASTS; i++) {
        last.late.add(snapshotLate(backend, disk, NodeId.of("late-" + i), log));
      }
      reportLate("the same, written late", last, PAUSE_RATIO);
      Series compared = new Series();
      for (int i = 1; i <= LASTS; i++) {
        prepare(backend, disk);
        write(backend, disk, PAGES);
        snapshot(backend, disk, NodeId.of("compared-" + i), WriteLog.NONE, compared);
        compared.late.add(
            snapshotLate(backend, disk, NodeId.of("late-compared-" + i), WriteLog.NONE));
      }
      reportWhole("disk, generation " + GENERATIONS + ": all of it, without a log", compared, 0);
      reportLate("written late, without a log", compared, 0);
    }
    return results;
  }

  private int write(StorageBackend backend, NodeId disk, int pages) throws IOException {
    return log.overwrite(backend.attach(disk).path(), pages, random);
  }

  private static void snapshot(
      StorageBackend backend, NodeId disk, NodeId id, WriteLog told, @Nullable Series into) {
    long begin = System.nanoTime();
    backend.flush(disk);
    catchUp(backend, disk, told);
    long paused = System.nanoTime();
    backend.snapshot(disk, id, Durability.RELAXED, told);
    double cloned = Host.millisSince(paused);
    backend.flush(id);
    if (into != null) {
      into.clones.add(cloned);
      into.whole.add(Host.millisSince(begin));
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

  private void reportPieces() {
    results.add(
        Result.of(
                pool.name() + " memory, generation " + GENERATIONS + ": pieces",
                "thousands",
                Samples.of(pieces / 1000.0))
            .note("of 262 thousand pages; laying out anew adds a tenth of what is written"));
    results.add(
        Result.of(
            pool.name() + " memory, added by laying out anew",
            "MiB",
            Samples.of(addedBytes / BYTES_PER_MIB)));
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

  /** Returns the used bytes once all is written and deleted space is free. */
  private long settledBytes() throws IOException, InterruptedException {
    floors.run(List.of("sync", "-f", pool.mountPoint().toString()), settings.work());
    return pool.usedBytes();
  }

  private void report(String what, String clone, long writtenBytes, long usedBytes)
      throws IOException, InterruptedException {
    String name = pool.name() + " " + what + ", generation " + GENERATIONS;
    results.add(
        Result.of(name + ": " + clone, "ms", last.clones)
            .over(first.clones)
            .ratioAtMost(PAUSE_RATIO)
            .note("floor: generation 1"));
    reportWhole(what + ", generation " + GENERATIONS + ": all of it", last, WHOLE_RATIO);
    results.add(
        Result.of(
                pool.name() + " " + what + ", space of all generations",
                "MiB",
                Samples.of(usedBytes / BYTES_PER_MIB))
            .over(Samples.of(writtenBytes / BYTES_PER_MIB))
            .ratioAtMost(SPACE_RATIO)
            .note("floor: the pages overwritten"));
    results.add(
        Result.of(name + ": background", "ms", background.after(background.count() - LASTS))
            .note("without rests, after each"));
    naive(what);
  }

  private void reportWhole(String what, Series series, double ratio) {
    Result result =
        Result.of(pool.name() + " " + what, "ms", series.whole)
            .over(first.whole)
            .note("floor: generation 1");
    results.add(ratio > 0 ? result.ratioAtMost(ratio) : result);
  }

  private void reportLate(String what, Series series, double ratio) {
    Result result =
        Result.of(pool.name() + " disk, generation " + GENERATIONS + ": " + what, "ms", series.late)
            .over(first.late)
            .note(PAGES_LATE + " pages written between preparation and pause");
    results.add(ratio > 0 ? result.ratioAtMost(ratio) : result);
  }

  /**
   * Measures the same history with clone, write and sync alone: how its clones slow down, and the
   * cost that no method can avoid.
   */
  private void naive(String what) throws IOException, InterruptedException {
    Path directory = pool.directory("naive");
    Pool.fill(directory.resolve("0"), SIZE);
    long before = settledBytes();
    Samples clones = new Samples();
    Samples writes = new Samples();
    Progress.say(pool.name() + ": the naive chain");
    for (String line : floors.run(chain(directory), directory)) {
      int gap = line.indexOf(' ');
      clones.add(Long.parseLong(line.substring(0, gap)) / NANOS_PER_MILLI);
      writes.add(Long.parseLong(line.substring(gap + 1)) / NANOS_PER_MILLI);
    }
    String name = pool.name() + " " + what;
    results.add(
        Result.of(
                name + ", naive chain: clone at generation " + GENERATIONS,
                "ms",
                clones.after(clones.count() - LASTS))
            .over(clones.before(1))
            .note("floor: generation 1"));
    Samples least = writes.after(writes.count() - LASTS);
    results.add(
        Result.of(
                name + ", generation " + GENERATIONS + ": all of it beside the naive chain",
                "ms",
                last.whole)
            .over(least)
            .note("floor: in C, to write the naive chain's image and sync it"));
    results.add(
        Result.of(
                name + ", naive chain: space",
                "MiB",
                Samples.of((settledBytes() - before) / BYTES_PER_MIB))
            .note("of one in " + STRIDE + " of the first generations"));
  }

  private List<String> chain(Path directory) {
    List<Object> arguments = new ArrayList<>(List.of("chain", directory, PAGES));
    int rounds = 0;
    for (int i = 1; i <= GENERATIONS; i++) {
      rounds++;
      if (isKept(i, STRIDE)) {
        arguments.add(rounds);
        rounds = 0;
      }
    }
    return StorageSuite.floor(settings, arguments.toArray());
  }
}
