// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.memory;

import static dev.ramet.linux.memory.Pagemap.FILE_OR_SHARED;
import static dev.ramet.linux.memory.Pagemap.PRESENT;
import static dev.ramet.linux.memory.Pagemap.SWAPPED;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.testing.Require;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what this kernel reports about pages, which the memory modes' rules rely on. */
class PagemapTest {
  private static final int PAGE = NativeBuffer.PAGE_BYTES;
  private static final int HUGE = 2 << 20;
  private static final long ALL = PRESENT | SWAPPED | FILE_OR_SHARED;

  private static long bits(NativeBuffer memory, long offset) throws LinuxException {
    try (Pagemap pagemap = Pagemap.open(ProcessHandle.current().pid());
        NativeBuffer answer = NativeBuffer.allocate(PAGE)) {
      pagemap.read(memory.address() + offset, 1, answer);
      return answer.view(0, 8).getLong(0) & ALL;
    }
  }

  private static byte touch(NativeBuffer memory, long offset) {
    return memory.view(offset, 1).get(0);
  }

  @Test
  void theSharedPageOfZerosLooksLikeAPrivatePage() throws Exception {
    try (NativeBuffer memory = NativeBuffer.allocate(2L * PAGE)) {
      assertEquals(0, bits(memory, 0));
      assertEquals(0, touch(memory, 0));
      assertEquals(PRESENT, bits(memory, 0));
      memory.view(0, 1).put(0, (byte) 1);
      assertEquals(PRESENT, bits(memory, 0));
      memory.advise(NativeBuffer.Advice.DONTNEED, 0, PAGE);
      assertEquals(0, bits(memory, 0));
    }
  }

  @Test
  void theSharedHugePageOfZerosLooksLikeAFile() throws Exception {
    try (NativeBuffer memory = NativeBuffer.allocate(4L * HUGE)) {
      long aligned = -memory.address() & (HUGE - 1);
      memory.advise(NativeBuffer.Advice.HUGEPAGE, aligned, 2L * HUGE);
      assertEquals(0, touch(memory, aligned));
      boolean hugePages = bits(memory, aligned + PAGE) != 0;
      Require.feature("thp", hugePages, "needs transparent huge pages (madvise or always)");
      assertEquals(PRESENT | FILE_OR_SHARED, bits(memory, aligned + PAGE));
      memory.view(aligned, 1).put(0, (byte) 1);
      assertEquals(PRESENT, bits(memory, aligned));
    }
  }

  @Test
  void pagesOfAPrivateFileMapping(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("image");
    try (RandomAccessFile image = new RandomAccessFile(file.toFile(), "rw")) {
      image.setLength(8L * PAGE);
    }
    try (NativeBuffer memory = NativeBuffer.mapPrivate(file, 0, 8L * PAGE)) {
      assertEquals(0, touch(memory, 0));
      assertEquals(PRESENT | FILE_OR_SHARED, bits(memory, 0), "a hole that was read");
      memory.view(0, 1).put(0, (byte) 0);
      assertEquals(PRESENT, bits(memory, 0), "a page that was written");
      memory.advise(NativeBuffer.Advice.DONTNEED, 0, PAGE);
      assertEquals(0, bits(memory, 0) & SWAPPED);
    }
  }
}
