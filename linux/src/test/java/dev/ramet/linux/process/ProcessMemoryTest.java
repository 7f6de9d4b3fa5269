// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.process;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.memory.Pagemap;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ProcessMemoryTest {
  private static final long PID = ProcessHandle.current().pid();
  private static final int PAGE = NativeBuffer.PAGE_BYTES;

  @Test
  void scatteredPiecesArriveInOrder() throws Exception {
    int pages = 3000;
    try (NativeBuffer from = NativeBuffer.allocate((long) pages * PAGE);
        NativeBuffer to = NativeBuffer.allocate(1025L * PAGE);
        ProcessMemory memory = new ProcessMemory(PID)) {
      ByteBuffer source = from.view(0, pages * PAGE);
      for (int page = 0; page < pages; page++) {
        source.putInt(page * PAGE, page);
      }
      int pieces = 0;
      for (int page = pages - 1; !memory.full(); page -= 2, pieces++) {
        memory.add(from.address() + (long) page * PAGE, PAGE);
      }
      assertEquals(1024, pieces);
      assertThrows(IllegalStateException.class, () -> memory.add(from.address(), PAGE));

      memory.read(to, PAGE);

      ByteBuffer read = to.view(PAGE, 1024 * PAGE);
      for (int i = 0; i < pieces; i++) {
        assertEquals(pages - 1 - 2 * i, read.getInt(i * PAGE));
      }
      assertEquals(0, memory.queuedBytes());
    }
  }

  @Test
  void neighboursAreOnePiece() throws Exception {
    try (NativeBuffer from = NativeBuffer.allocate(5000L * PAGE);
        NativeBuffer to = NativeBuffer.allocate(5000L * PAGE);
        ProcessMemory memory = new ProcessMemory(PID)) {
      byte[] bytes = new byte[5000 * PAGE];
      new Random(1).nextBytes(bytes);
      from.view(0, bytes.length).put(bytes);
      for (int page = 0; page < 5000; page++) {
        memory.add(from.address() + (long) page * PAGE, PAGE);
      }

      memory.read(to, 0);

      byte[] read = new byte[bytes.length];
      to.view(0, bytes.length).get(read);
      assertArrayEquals(bytes, read);
    }
  }

  @Test
  void memoryThatIsNotThereIsReportedAfterAShortRead() throws Exception {
    try (NativeBuffer there = NativeBuffer.allocate(4L * PAGE);
        NativeBuffer to = NativeBuffer.allocate(8L * PAGE);
        ProcessMemory memory = new ProcessMemory(PID)) {
      memory.add(there.address(), PAGE);
      memory.add(there.address() + 2L * PAGE, PAGE);
      memory.add(1L << 20, PAGE);

      LinuxException error = assertThrows(LinuxException.class, () -> memory.read(to, 0));

      assertEquals(LinuxException.EFAULT, error.errno());
      assertEquals(0, memory.queuedBytes());
    }
  }

  @Test
  void anotherProcessIsReadUntilItEnds() throws Exception {
    Process child = new ProcessBuilder("sleep", "60").start();
    try (NativeBuffer to = NativeBuffer.allocate(PAGE);
        ProcessMemory memory = new ProcessMemory(child.pid())) {
      // The first mapping of a program is the head of its ELF file.
      long start = ProcMaps.read(child.pid()).get(0).start();
      try (Pagemap pagemap = Pagemap.open(child.pid())) {
        memory.add(start, PAGE);
        memory.read(to, 0);
        assertEquals(0x464c457f, to.view(0, 4).getInt(0));
        pagemap.read(start, 1, to);
        assertTrue((to.view(0, 8).getLong(0) & Pagemap.PRESENT) != 0);

        child.destroyForcibly().waitFor();

        memory.add(start, PAGE);
        LinuxException dead = assertThrows(LinuxException.class, () -> memory.read(to, 0));
        assertEquals(LinuxException.ESRCH, dead.errno());
        dead = assertThrows(LinuxException.class, () -> pagemap.read(start, 1, to));
        assertEquals(LinuxException.ESRCH, dead.errno());
      }
    } finally {
      child.destroyForcibly().waitFor();
    }
    LinuxException absent =
        assertThrows(LinuxException.class, () -> Pagemap.open(child.pid()).close());
    assertEquals(LinuxException.ENOENT, absent.errno());
  }

  @Test
  void viewsReachBeyondTwoGiB() throws Exception {
    try (NativeBuffer large = NativeBuffer.allocate(5L << 30)) {
      large.view((5L << 30) - PAGE, PAGE).putLong(PAGE - 8, 42);
      assertEquals(42, large.view((5L << 30) - 8, 8).getLong(0));
      assertThrows(IndexOutOfBoundsException.class, () -> large.view((5L << 30) - 8, 9));
    }
  }
}
