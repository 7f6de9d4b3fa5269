// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.workingset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.file.Fd;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryRegion;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the scan on this process, which maps an image like a hypervisor does. */
final class MappedPagesTest {
  private static final int PAGE = (int) WorkingSet.PAGE;
  private static final int MIB = 1 << 20;
  private static final int IMAGE = 32 * MIB;

  @TempDir private Path directory;
  private Path image = Path.of("");

  /** Data in the first 12 MiB and in one page at 20 MiB; holes elsewhere. */
  @BeforeEach
  void writeImage() throws Exception {
    image = directory.resolve("image");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      byte[] data = new byte[12 * MIB];
      java.util.Arrays.fill(data, (byte) 7);
      file.write(data);
      file.seek(20L * MIB);
      file.write(data, 0, PAGE);
      file.setLength(IMAGE);
    }
  }

  private WorkingSet of(NativeBuffer memory, MemoryRegion.Kind kind) throws Exception {
    MemoryRegion region = new MemoryRegion(0, memory.address(), IMAGE, kind);
    long pid = ProcessHandle.current().pid();
    try (Fd fd = Fd.openRead(image)) {
      return MappedPages.scan("s1", new GuestMemory(pid, IMAGE, List.of(region)), fd);
    }
  }

  private static int touch(NativeBuffer memory, long offset) {
    return memory.view(offset, 1).get(0);
  }

  private static boolean holds(WorkingSet set, long offset) {
    return set.ranges().stream()
        .anyMatch(range -> range.offset() <= offset && offset < range.end());
  }

  @Test
  void whatWasTouchedAndIsDataIsFound() throws Exception {
    try (NativeBuffer memory = NativeBuffer.mapPrivate(image, 0, IMAGE)) {
      assertTrue(of(memory, MemoryRegion.Kind.PRIVATE_IMAGE).ranges().isEmpty());
      assertEquals(7, touch(memory, 3L * MIB));
      assertEquals(7, touch(memory, 20L * MIB));
      assertEquals(0, touch(memory, 16L * MIB), "a hole");
      memory.view(5L * MIB, 1).put(0, (byte) 1);
      WorkingSet set = of(memory, MemoryRegion.Kind.PRIVATE_IMAGE);
      assertTrue(holds(set, 3L * MIB));
      assertTrue(holds(set, 5L * MIB), "written, so a copy by now");
      assertTrue(holds(set, 20L * MIB));
      assertFalse(holds(set, 16L * MIB), "a hole is not read from anywhere");
      assertFalse(holds(set, 8L * MIB));
      WorkingSet.Range last = set.ranges().get(set.ranges().size() - 1);
      assertEquals(new WorkingSet.Range(20L * MIB, PAGE), last);
      // The kernel maps cached pages around a fault: 64 KiB, or a huge page where it may use them.
      assertTrue(set.bytes() <= 3 * 2 * MIB, set.toString());
      assertEquals("s1", set.snapshotId());
      assertEquals(IMAGE, set.imageBytes());
      assertTrue(of(memory, MemoryRegion.Kind.ANONYMOUS).ranges().isEmpty(), "not of the image");
    }
  }

  @Test
  void whoTouchesEverythingIsCutAtTheBound() throws Exception {
    try (NativeBuffer memory = NativeBuffer.mapPrivate(image, 0, IMAGE)) {
      for (int at = 0; at < IMAGE; at += PAGE) {
        touch(memory, at);
      }
      WorkingSet set = of(memory, MemoryRegion.Kind.PRIVATE_IMAGE);
      assertFalse(set.whole());
      assertEquals(List.of(new WorkingSet.Range(0, 8L * MIB)), set.ranges());
    }
  }

  @Test
  void aProcessThatHasEndedIsAnError() throws Exception {
    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();
    MemoryRegion region = new MemoryRegion(0, 1 << 20, IMAGE, MemoryRegion.Kind.PRIVATE_IMAGE);
    GuestMemory memory = new GuestMemory(ended.pid(), IMAGE, List.of(region));
    try (Fd fd = Fd.openRead(image)) {
      assertThrows(LinuxException.class, () -> MappedPages.scan("s1", memory, fd));
    }
  }
}
