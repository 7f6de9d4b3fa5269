// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.reflinkxfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.backends.disk.Steps;
import dev.ramet.spi.storage.CopyPreparation;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.ImageCompaction;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.Usage;
import dev.ramet.testing.LoopFs;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that compacted data really has fewer extents, and costs space only where it is shared. */
class CompactionTest {
  private static final NodeId V = NodeId.of("v");
  private static final NodeId OLD = NodeId.of("old");
  private static final NodeId S = NodeId.of("s");
  private static final int PAGE = 4096;
  private static final int PAGES = 2048;
  private static final long PATIENCE_NANOS = 30_000_000_000L;

  @TempDir private Path dir;
  private LoopFs fs;
  private StorageBackend backend;

  @BeforeEach
  void age() throws Exception {
    fs = LoopFs.xfs(dir, 320 << 20);
    backend = ReflinkXfsProvider.open(fs.root(), Steps.NONE);
    backend.create(V, (long) PAGES * PAGE);
    write(1);
    backend.flush(V);
    backend.snapshot(V, OLD, Durability.RELAXED);
    write(3);
    backend.flush(V);
    backend.snapshot(V, S, Durability.RELAXED);
  }

  @AfterEach
  void close() {
    if (backend != null) {
      backend.close();
    }
    if (fs != null) {
      fs.close();
    }
  }

  /** Every so many pages. */
  private void write(int stride) throws Exception {
    try (RandomAccessFile file = new RandomAccessFile(backend.attach(V).path().toFile(), "rw")) {
      for (long page = 0; page < PAGES; page += stride) {
        file.seek(page * PAGE);
        file.write(new byte[PAGE]);
      }
    }
  }

  private ImageCompaction.Compacted compact(long mostAddedBytes) {
    return ((ImageCompaction) backend).compact(S, mostAddedBytes, 1);
  }

  /** Leaves the snapshot alone; the file system gives up the blocks of the others after a while. */
  private void deleteOthers() throws InterruptedException {
    backend.delete(OLD);
    backend.delete(V);
    long start = System.nanoTime();
    while (backend.usage(S).exclusiveBytes() < (long) PAGES * PAGE) {
      assertTrue(System.nanoTime() - start < PATIENCE_NANOS, "the blocks are given up");
      Thread.sleep(10);
    }
  }

  @Test
  void sharedPartsAreAdded() {
    assertEquals(0, compact(0).writtenBytes());
    ImageCompaction.Compacted done = compact(Long.MAX_VALUE);
    assertTrue(done.piecesBefore() > PAGES / 3, () -> "pieces: " + done);
    assertTrue(done.piecesAfter() <= PAGES / 64, () -> "pieces: " + done);
    assertTrue(done.addedBytes() > 0 && done.addedBytes() <= done.writtenBytes());
    long own = backend.usage(S).exclusiveBytes();
    assertTrue(own >= done.writtenBytes(), () -> own + " bytes of its own: " + done);
  }

  @Test
  void whatNobodySharesCostsNothing() throws Exception {
    deleteOthers();
    ImageCompaction.Compacted done = compact(0);
    assertTrue(done.piecesAfter() <= PAGES / 64, () -> "pieces: " + done);
    assertEquals(0, done.addedBytes());
  }

  @Test
  void aCopyMadeAheadDoesNotCount() throws Exception {
    deleteOthers();
    Usage before = backend.usage(S);
    assertEquals(before.referencedBytes(), before.exclusiveBytes());
    ((CopyPreparation) backend).prepare(S, 1);
    assertEquals(before, backend.usage(S));
  }
}
