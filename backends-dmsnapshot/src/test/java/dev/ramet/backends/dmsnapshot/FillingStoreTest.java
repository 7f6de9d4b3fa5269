// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import static dev.ramet.backends.dmsnapshot.Root.V;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests guests that write as fast as they can until the file system below their stores is full. */
class FillingStoreTest {
  private static final NodeId W = NodeId.of("w");
  private static final NodeId S = NodeId.of("s");
  private static final int PAGE = 4096;
  private static final int BATCH = 64;
  private static final int STEP = 13;
  private static final int PAGES = 96 << 8;

  private final Path dir;

  FillingStoreTest(@TempDir Path dir) {
    this.dir = dir;
  }

  /** Writes batches until one fails; page p gets the value p + 1. */
  private static final class Writer extends Thread {
    private final Fd device;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private long acknowledged;

    Writer(Fd device) {
      this.device = device;
    }

    @Override
    public void run() {
      try {
        while (acknowledged < PAGES && writes(acknowledged)) {
          acknowledged += BATCH;
        }
      } catch (RuntimeException | Error e) {
        failure.set(e);
      }
    }

    boolean writes(long page) {
      ByteBuffer batch = ByteBuffer.allocateDirect(BATCH * PAGE);
      for (int i = 0; i < BATCH; i++) {
        batch.putLong(i * PAGE, page + i + 1).putLong((i + 1) * PAGE - Long.BYTES, page + i + 1);
      }
      try {
        device.pwrite(batch, page * PAGE);
        device.fsync();
        return true;
      } catch (LinuxException full) {
        return false;
      }
    }

    /** Checks some pages of every batch, because each read bypasses the cache. */
    void check() throws LinuxException {
      for (long page = 0; page < acknowledged; page += STEP) {
        assertEquals(page + 1, Root.read(device, page));
      }
    }
  }

  @Test
  void whatWasAcknowledgedIsThereWhenNothingFitsAnyMore() throws Exception {
    try (Root root = new Root(dir, 192 << 20, 0)) {
      for (NodeId id : List.of(V, W)) {
        root.backend().create(id, (long) PAGES * PAGE);
      }
      // Still above the threshold, so that the writers cross it.
      root.fs().fill(56 << 20);
      try (Fd first = root.device(V);
          Fd second = root.device(W)) {
        Root.write(first, PAGES - 1, 7);
        root.backend().snapshot(V, S, Durability.DURABLE);
        root.backend().snapshot(W, NodeId.of("t"), Durability.DURABLE);
        List<Writer> writers = new ArrayList<>(List.of(new Writer(first), new Writer(second)));
        writers.forEach(Thread::start);
        for (Writer writer : writers) {
          writer.join();
          assertEquals(null, writer.failure.get());
          assertTrue(writer.acknowledged > 0, "nothing was ever written");
          assertTrue(writer.acknowledged < PAGES, "the disk was never full");
        }
        for (Writer writer : writers) {
          writer.check();
        }
        assertEquals(0, root.read(S, 0));
        assertEquals(7, root.read(S, PAGES - 1));
        RametException e =
            assertThrows(
                RametException.class,
                () -> root.backend().fork(S, NodeId.of("f"), Durability.RELAXED));
        assertEquals(ErrorCode.NO_SPACE, e.code());
        root.fs().unfill();
        for (Writer writer : writers) {
          long end = System.nanoTime() + 300_000_000_000L;
          while (!writer.writes(writer.acknowledged)) {
            assertTrue(System.nanoTime() < end, "it does not write again with room again");
            Thread.sleep(100);
          }
          writer.acknowledged += BATCH;
          writer.check();
        }
      }
    }
    assertEquals(List.of(), Root.devices());
  }
}
