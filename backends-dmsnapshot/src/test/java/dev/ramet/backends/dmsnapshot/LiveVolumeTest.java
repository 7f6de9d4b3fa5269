// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import static dev.ramet.backends.dmsnapshot.Root.V;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.backends.disk.Steps;
import dev.ramet.backends.dmsnapshot.layer.Merger;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests changes to a volume that is open, as a hypervisor has it. */
class LiveVolumeTest {
  private static final int PAGES = 64;
  private static final long SIZE = 16 << 20;

  private final Path dir;

  LiveVolumeTest(@TempDir Path dir) {
    this.dir = dir;
  }

  @Test
  void snapshotsUnderAWriterAreEachOneInstant() throws Exception {
    try (Root root = new Root(dir, 256 << 20, 1 << 20)) {
      root.backend().create(V, SIZE);
      List<NodeId> snapshots = new ArrayList<>();
      AtomicLong written = new AtomicLong();
      AtomicBoolean stop = new AtomicBoolean();
      AtomicReference<Throwable> failure = new AtomicReference<>();
      try (Fd device = root.device(V)) {
        Thread writer =
            new Thread(
                () -> {
                  try {
                    while (!stop.get()) {
                      long value = written.get() + 1;
                      Root.write(device, value % PAGES, value);
                      written.set(value);
                    }
                  } catch (LinuxException | RuntimeException | Error e) {
                    failure.set(e);
                  }
                });
        writer.start();
        try {
          for (int i = 0; i < 20; i++) {
            long before = written.get();
            NodeId id = NodeId.of("s" + i);
            root.backend().snapshot(V, id, Durability.RELAXED);
            assertInstant(root, id, before, written.get() + 1);
            snapshots.add(id);
            Thread.sleep(20);
          }
        } finally {
          stop.set(true);
          writer.join();
        }
        assertEquals(null, failure.get());
        root.backend().awaitMerges();
        for (long page = 0; page < PAGES; page++) {
          assertEquals(latest(written.get(), page), Root.read(device, page));
        }
        // All snapshots are kept, so only the stack's height caused merges.
        assertTrue(
            root.backend().depth(V) <= Merger.DEPTH + 1, () -> "depth " + root.backend().depth(V));
      }
      long last = 0;
      for (NodeId id : snapshots) {
        last = assertInstant(root, id, last, written.get());
      }
      // Without the snapshots the layers are merged.
      for (NodeId id : snapshots) {
        root.backend().delete(id);
      }
      root.backend().awaitMerges();
      assertTrue(root.backend().depth(V) <= 3, () -> "depth " + root.backend().depth(V));
    }
    assertEquals(List.of(), Root.devices());
  }

  /** Returns the latest value of a page after this many writes. */
  private static long latest(long written, long page) {
    long value = written - Math.floorMod(written - page, PAGES);
    return Math.max(0, value);
  }

  /**
   * Checks that a snapshot equals the volume after one of the writes in a range, and returns which.
   */
  private static long assertInstant(Root root, NodeId id, long from, long to)
      throws LinuxException {
    long instant = 0;
    long[] found = new long[PAGES];
    try (Fd device = root.device(id)) {
      for (int page = 0; page < PAGES; page++) {
        found[page] = Root.read(device, page);
        instant = Math.max(instant, found[page]);
      }
    }
    for (int page = 0; page < PAGES; page++) {
      assertEquals(latest(instant, page), found[page], id + " page " + page + " at " + instant);
    }
    assertTrue(instant >= from && instant <= to, id + " is of " + instant);
    return instant;
  }

  @Test
  void sealingKeepsTheDevice() throws Exception {
    try (Root root = new Root(dir, 256 << 20, 1 << 20)) {
      root.backend().create(V, SIZE);
      Path path = root.backend().attach(V).path();
      try (Fd device = root.device(V)) {
        Root.write(device, 3, 33);
        root.backend().seal(V, Durability.RELAXED);
        assertEquals(path, root.backend().attach(V).path());
        assertEquals(33, Root.read(device, 3));
        assertThrows(LinuxException.class, () -> Root.write(device, 3, 34));
      }
      NodeId fork = NodeId.of("f");
      root.backend().fork(V, fork, Durability.RELAXED);
      try (Fd device = root.device(fork)) {
        Root.write(device, 4, 44);
        root.backend().seal(fork, Durability.RELAXED);
        assertThrows(LinuxException.class, () -> Root.write(device, 4, 45));
      }
      assertEquals(44, root.read(fork, 4));
      assertEquals(33, root.read(fork, 3));
      assertEquals(0, root.read(V, 4));
    }
  }

  @Test
  void aDeletedNodeIsThereForWhoHasItOpen() throws Exception {
    try (Root root = new Root(dir, 256 << 20, 1 << 20)) {
      root.backend().create(V, SIZE);
      NodeId snapshot = NodeId.of("s");
      try (Fd device = root.device(V)) {
        Root.write(device, 1, 11);
        root.backend().snapshot(V, snapshot, Durability.RELAXED);
        try (Fd frozen = root.device(snapshot)) {
          root.backend().delete(V);
          root.backend().delete(snapshot);
          root.backend().create(V, SIZE);
          assertEquals(0, root.read(V, 1));
          assertEquals(11, Root.read(frozen, 1));
          Root.write(device, 2, 22);
          assertEquals(22, Root.read(device, 2));
        }
      }
    }
  }

  @Test
  void whatIsDeletedInUseIsGoneWithItsLastUser() throws Exception {
    for (int round = 0; round < 5; round++) {
      try (Root root =
          new Root(Files.createDirectory(dir.resolve("r" + round)), 64 << 20, 1 << 20)) {
        root.backend().create(V, SIZE);
        try (Fd device = root.device(V)) {
          for (int i = 0; i < 6; i++) {
            Root.write(device, i, i);
            root.backend().snapshot(V, NodeId.of("s" + i), Durability.RELAXED);
          }
          root.backend().delete(V);
          for (int i = 0; i < 6; i++) {
            root.backend().delete(NodeId.of("s" + i));
          }
          assertFalse(Root.devices().isEmpty());
        }
        // The kernel removes the devices one after another, as each releases the next.
      }
      assertEquals(List.of(), Root.devices());
    }
  }

  @Test
  void afterARebootEverythingComesFromTheFiles() throws Exception {
    try (Root root = new Root(dir, 256 << 20, 1 << 20)) {
      root.backend().create(V, SIZE);
      NodeId fork = NodeId.of("f");
      for (int i = 0; i < 4; i++) {
        try (Fd device = root.device(V)) {
          Root.write(device, i, 10 + i);
        }
        root.backend().snapshot(V, NodeId.of("s" + i), Durability.DURABLE);
      }
      root.backend().fork(NodeId.of("s1"), fork, Durability.DURABLE);
      try (Fd device = root.device(fork)) {
        Root.write(device, 9, 99);
      }
      assertFalse(Root.devices().isEmpty());
      // No device is open, so closing removes them all, as a reboot would.
      root.reopen(false, Steps.NONE);
      assertEquals(List.of(), Root.devices());
      for (int i = 0; i < 4; i++) {
        assertEquals(10 + i, root.read(V, i));
        assertEquals(i < 2 ? 10 + i : 0, root.read(fork, i));
        assertEquals(0, root.read(NodeId.of("s" + i), i + 1));
      }
      assertEquals(99, root.read(fork, 9));
    }
  }

  @Test
  void aFullFileSystemCostsAVolumeNothingButWrites() throws Exception {
    try (Root root = new Root(dir, 192 << 20, 8 << 20)) {
      root.backend().create(V, 96 << 20);
      NodeId snapshot = NodeId.of("s");
      try (Fd device = root.device(V)) {
        Root.write(device, 0, 1);
        root.backend().snapshot(V, snapshot, Durability.DURABLE);
        Root.write(device, 1, 2);
        root.fs().fill(3 << 20);
        Thread.sleep(1500);
        long page = 2;
        while (page < 6 << 8 && writes(device, page)) {
          page++;
        }
        long failed = page;
        assertTrue(failed < 6 << 8, "the disk is never full");
        for (long i = 0; i < failed; i++) {
          assertEquals(i + 1, Root.read(device, i));
        }
        assertEquals(1, root.read(snapshot, 0));
        assertEquals(0, root.read(snapshot, 1));
        RametException e =
            assertThrows(
                RametException.class,
                () -> root.backend().snapshot(V, NodeId.of("t"), Durability.RELAXED));
        assertEquals(ErrorCode.NO_SPACE, e.code());
        root.fs().unfill();
        long end = System.nanoTime() + 300_000_000_000L;
        while (!writes(device, failed)) {
          assertTrue(System.nanoTime() < end, "the store does not grow again");
          Thread.sleep(50);
        }
        assertEquals(failed + 1, Root.read(device, failed));
        root.backend().snapshot(V, NodeId.of("t"), Durability.RELAXED);
        assertEquals(failed + 1, root.read(NodeId.of("t"), failed));
      }
    }
  }

  private static boolean writes(Fd device, long page) {
    try {
      Root.write(device, page, page + 1);
      return true;
    } catch (LinuxException e) {
      return false;
    }
  }
}
