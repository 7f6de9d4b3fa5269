// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import static dev.ramet.backends.dmsnapshot.Root.V;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks that the disk reads of a snapshot of a volume in use do not depend on how much is in the
 * store it freezes: the kernel reads the whole table of a store that it opens again. Counts
 * sectors, which do not depend on the load of the host.
 */
class SnapshotCostTest {
  private static final int ROUNDS = 5;
  private static final int CHUNK = 4096;
  private static final int CHUNKS = 32 << 8;
  private static final int FEW = 16;
  private static final int MANY = 4096;

  // A table entry has two 64-bit numbers, dm-snap-persistent.c; Linux counts in units of 512 bytes.
  private static final int LINE_BYTES = 16;
  private static final int SECTOR_BYTES = 512;
  private static final int SECTORS_READ = 2; // field index, Documentation/block/stat.rst

  private final Path dir;
  private int made;

  SnapshotCostTest(@TempDir Path dir) {
    this.dir = dir;
  }

  @Test
  void aSnapshotDoesNotDependOnWhatChanged() throws Exception {
    try (Root root = new Root(dir, 1L << 30, 1 << 20)) {
      root.backend().create(V, (long) CHUNKS * CHUNK);
      try (Fd device = root.device(V)) {
        write(device, CHUNKS / 2);
        long few = least(root, device, FEW);
        long many = least(root, device, MANY);
        long table = MANY * LINE_BYTES / SECTOR_BYTES;
        assertTrue(
            many < few + table / 2,
            () -> many + " sectors against " + few + ", where the table has " + table);
      }
    }
  }

  /** Returns the least of some rounds, because other processes on the host can only add sectors. */
  private long least(Root root, Fd device, int changed) throws Exception {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < ROUNDS; i++) {
      write(device, changed);
      long before = sectorsRead();
      root.backend().snapshot(V, NodeId.of("s" + made++), Durability.RELAXED);
      least = Math.min(least, sectorsRead() - before);
      root.backend().awaitMerges();
    }
    return least;
  }

  /**
   * Returns the sectors read by all loop devices of this host, on which all volumes' stores lie.
   */
  private static long sectorsRead() throws IOException {
    long sum = 0;
    try (DirectoryStream<Path> loops = Files.newDirectoryStream(Path.of("/sys/block"), "loop*")) {
      for (Path loop : loops) {
        String[] fields = Files.readString(loop.resolve("stat")).strip().split(" +", -1);
        sum += Long.parseLong(fields[SECTORS_READ]);
      }
    }
    return sum;
  }

  private static void write(Fd target, int chunks) throws LinuxException {
    Random random = new Random(5);
    ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK);
    for (int i = 0; i < chunks; i++) {
      target.pwrite(
          chunk.clear().putLong(0, random.nextLong()), (long) random.nextInt(CHUNKS) * CHUNK);
    }
    target.fsync();
  }
}
