// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.memory;

import dev.ramet.tck.support.Requirement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Makes the kernel move pages together again and again, until it is closed
 * (admin-guide/sysctl/vm.rst, {@code compact_memory}). Needs root.
 */
final class Compaction implements AutoCloseable {
  private static final Path CONTROL = Path.of("/proc/sys/vm/compact_memory");
  private static final Path COUNTERS = Path.of("/proc/vmstat");
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** The time to wait for the first page: on a busy host the kernel scans its memory slowly. */
  private static final long TIMEOUT_AT_FIRST_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** Once this many pages have moved, some of ours are assumed to be among them. */
  private static final long ENOUGH = 20_000;

  private static final int GAPS = 1024;

  private final long before = count();
  private final long started = System.nanoTime();
  private final Thread thread = new Thread(this::run, "compaction");
  private volatile boolean closed;

  private Compaction() {}

  static Compaction start() {
    Requirement.ofKernel("compaction", Files.isWritable(CONTROL), "needs root, and " + CONTROL);
    Compaction compaction = new Compaction();
    compaction.thread.start();
    return compaction;
  }

  /**
   * Makes the kernel compact memory once. The kernel first drains each processor's page batches to
   * its lists of pages (mm/compaction.c, {@code compact_nodes}). Does nothing where that is not
   * allowed.
   */
  static void once() {
    try {
      Files.writeString(CONTROL, "1");
    } catch (IOException e) {
      // Checks that depend on this detect the failure afterwards.
    }
  }

  private void run() {
    while (!closed) {
      try {
        moveAmongGaps();
      } catch (IOException e) {
        return; // A failure shows in the number of moved pages.
      }
    }
  }

  /**
   * Makes the kernel move pages by leaving free pages between used ones. Otherwise it moves nothing
   * in memory that it has already compacted, as after the same check of another mode.
   */
  private static void moveAmongGaps() throws IOException {
    Path gone = Files.createTempFile("compaction-", ".gone");
    Path kept = Files.createTempFile("compaction-", ".kept");
    try (FileChannel first = FileChannel.open(gone, StandardOpenOption.WRITE);
        FileChannel second = FileChannel.open(kept, StandardOpenOption.WRITE)) {
      ByteBuffer page = ByteBuffer.allocateDirect(4096);
      for (int i = 0; i < GAPS; i++) {
        first.write(page.clear());
        second.write(page.clear());
      }
      first.truncate(0);
      Files.writeString(CONTROL, "1");
    } finally {
      Files.delete(gone);
      Files.delete(kept);
    }
  }

  /** Captures memory that is written now and then, until enough pages have moved. */
  void beside(MemoryWorld world, Captures captures) {
    Random random = new Random(3);
    do {
      for (int i = 0; i < 10; i++) {
        captures.selectOnly();
      }
      for (int i = 0; i < 20; i++) {
        world.poke(random.nextInt(MemoryWorld.PAGES), 1, random.nextInt(TrackedProcess.PAGE));
      }
      captures.capture();
    } while (!moved());
  }

  /** Returns whether enough pages have moved, or waiting any longer is useless. */
  private boolean moved() {
    long now = count() - before;
    long elapsed = System.nanoTime() - started;
    boolean idle = now == 0 && elapsed > TIMEOUT_AT_FIRST_NANOS;
    Requirement.ofKernel("compaction", !idle, "the kernel moved no page");
    return now >= ENOUGH || (now > 0 && elapsed > TIMEOUT_NANOS);
  }

  private static long count() {
    try {
      return Files.readAllLines(COUNTERS).stream()
          .filter(line -> line.startsWith("pgmigrate_success "))
          .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(' ') + 1)))
          .sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    closed = true;
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
