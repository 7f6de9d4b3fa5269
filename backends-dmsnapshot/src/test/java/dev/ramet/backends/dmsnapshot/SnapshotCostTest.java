// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import static dev.ramet.backends.dmsnapshot.Root.V;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.Fd;
import dev.ramet.linux.LinuxException;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a snapshot of a volume in use costs, by how much is in the store that it freezes. */
class SnapshotCostTest {
  private static final int ROUNDS = 5;
  private static final int CHUNK = 4096;
  private static final int CHUNKS = 32 << 8;

  private final Path dir;
  private int made;

  SnapshotCostTest(@TempDir Path dir) {
    this.dir = dir;
  }

  @Test
  void aSnapshotDoesNotDependOnWhatChanged() throws Exception {
    try (Root root = new Root(dir, 1L << 30, 1 << 20)) {
      root.backend().create(V, (long) CHUNKS * CHUNK);
      try (Fd device = root.device(V);
          Fd file = Fd.createNew(root.fs().root().resolve("plain"), 0600)) {
        file.truncate((long) CHUNKS * CHUNK);
        long plain = write(file, CHUNKS / 2);
        long image = write(device, CHUNKS / 2);
        snapshot(root);
        long fresh = write(device, CHUNKS / 2);
        long again = write(device, CHUNKS / 2);
        long few = median(root, device, 16);
        long many = median(root, device, 4096);
        System.out.printf(
            "SnapshotCostTest: snapshot with 16 changed chunks %d us, with 4096 %d us (%.2f); "
                + "writing %d random chunks and fsync: file %d ms, image layer %.2f x, "
                + "first write to a store %.2f x, again %.2f x%n",
            few / 1000,
            many / 1000,
            (double) many / few,
            CHUNKS / 2,
            plain / 1_000_000,
            (double) image / plain,
            (double) fresh / plain,
            (double) again / plain);
        // Generous, for a machine in a machine: reading 4096 lines anew would show all the same.
        assertTrue(many < 4 * few, () -> many + " against " + few);
      }
    }
  }

  private long median(Root root, Fd device, int changed) throws Exception {
    long[] times = new long[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      write(device, changed);
      times[i] = snapshot(root);
      root.backend().awaitMerges();
    }
    Arrays.sort(times);
    return times[ROUNDS / 2];
  }

  private long snapshot(Root root) {
    long start = System.nanoTime();
    root.backend().snapshot(V, NodeId.of("s" + made++), Durability.RELAXED);
    return System.nanoTime() - start;
  }

  private static long write(Fd target, int chunks) throws LinuxException {
    Random random = new Random(5);
    ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK);
    long start = System.nanoTime();
    for (int i = 0; i < chunks; i++) {
      target.pwrite(
          chunk.clear().putLong(0, random.nextLong()), (long) random.nextInt(CHUNKS) * CHUNK);
    }
    target.fsync();
    return System.nanoTime() - start;
  }
}
