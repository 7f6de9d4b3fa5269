// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ramet.backends.disk.Steps;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.process.ProcessMemory;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.testing.Tracee;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a memory image that a process has mapped privately, as a restored machine has its memory.
 */
class MemoryImageTest {
  private static final NodeId FIRST = NodeId.of("first");
  private static final NodeId SECOND = NodeId.of("second");
  private static final int PAGES = 256;
  private static final int PAGE = 4096;
  private static final long PRESENT = 1L << 63;
  private static final long OF_FILE = 1L << 61;

  /** The value of a page that was written: bytes of 9. */
  private static final long NINES = 0x0909090909090909L;

  private final Path dir;

  MemoryImageTest(@TempDir Path dir) {
    this.dir = dir;
  }

  @Test
  void anImageIsCapturedAndDeletedUnderItsProcess() throws Exception {
    try (Root root = new Root(dir, 256 << 20, 1 << 20)) {
      root.backend().create(FIRST, (long) PAGES * PAGE);
      try (Fd image = root.device(FIRST)) {
        for (int page = 0; page < PAGES; page++) {
          Root.write(image, page, page + 1);
        }
      }
      root.backend().seal(FIRST, Durability.DURABLE);
      Path device = root.backend().attach(FIRST).path();
      try (Tracee machine = new Tracee(dir, device, PAGES, "single")) {
        machine.command("r 0 200 0");
        machine.command("w 3 2 9");
        assertEquals(List.of(3, 4), ownPages(machine));
        capture(root, machine, ownPages(machine));
        check(root, SECOND);
        assertEquals(4, root.read(FIRST, 3), "the image itself does not change");
        // The first node is deleted; its layer stays for the process and the second node.
        root.backend().delete(FIRST);
        root.backend().awaitMerges();
        assertEquals(101, value(machine, 100));
        assertEquals(250, value(machine, 249), "a page that was never touched before");
        root.reopen(true, Steps.NONE);
        check(root, SECOND);
        assertEquals(240, value(machine, 239), "also when the backend died and came back");
      }
      root.reopen(false, Steps.NONE);
      check(root, SECOND);
    }
    assertEquals(List.of(), Root.devices());
  }

  private static void check(Root root, NodeId id) throws Exception {
    for (int page = 0; page < PAGES; page++) {
      boolean written = page == 3 || page == 4;
      assertEquals(written ? NINES : page + 1, root.read(id, page), "page " + page);
    }
  }

  /** Returns the pages that belong to the process and not to the image, according to pagemap. */
  private static List<Integer> ownPages(Tracee machine) throws Exception {
    List<Integer> own = new ArrayList<>();
    try (RandomAccessFile pagemap =
        new RandomAccessFile("/proc/" + machine.pid() + "/pagemap", "r")) {
      for (int page = 0; page < PAGES; page++) {
        pagemap.seek((machine.address() / PAGE + page) * Long.BYTES);
        // An entry can only be read whole.
        byte[] bytes = new byte[Long.BYTES];
        pagemap.readFully(bytes);
        long entry = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong();
        if ((entry & PRESENT) != 0 && (entry & OF_FILE) == 0) {
          own.add(page);
        }
      }
    }
    return own;
  }

  /** Overlays a fork of the image with pages of the process, and seals it. */
  private static void capture(Root root, Tracee machine, List<Integer> pages) throws Exception {
    root.backend().fork(FIRST, SECOND, Durability.RELAXED);
    try (Fd image = root.device(SECOND)) {
      for (int page : pages) {
        Root.write(image, page, value(machine, page));
      }
    }
    root.backend().seal(SECOND, Durability.DURABLE);
  }

  private static long value(Tracee machine, int page) throws Exception {
    try (ProcessMemory memory = new ProcessMemory(machine.pid());
        NativeBuffer buffer = NativeBuffer.allocate(PAGE)) {
      memory.add(machine.address() + (long) page * PAGE, PAGE);
      memory.read(buffer, 0);
      ByteBuffer bytes = buffer.view(0, PAGE).order(ByteOrder.BIG_ENDIAN);
      assertEquals(bytes.getLong(0), bytes.getLong(PAGE - Long.BYTES), "half a page");
      return bytes.getLong(0);
    }
  }
}
