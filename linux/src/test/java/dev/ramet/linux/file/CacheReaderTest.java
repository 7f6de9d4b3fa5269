// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.testing.Require;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CacheReaderTest {
  private static final int PAGE = NativeBuffer.PAGE_BYTES;
  private static final int SIZE = 4096 * PAGE;

  private final Path path;
  private final byte[] content = new byte[SIZE];

  CacheReaderTest(@TempDir Path directory) throws Exception {
    path = directory.resolve("file");
    new Random(1).nextBytes(content);
    Files.write(path, content);
  }

  @Test
  void readsWhatWasJustWritten() throws Exception {
    try (CacheReader reader = CacheReader.open(path, 1 << 20)) {
      int length = 100 * PAGE;
      assertEquals(length, reader.read(7L * PAGE, length));
      byte[] seen = new byte[length];
      reader.view().clear().get(seen);
      byte[] expected = Arrays.copyOfRange(content, 7 * PAGE, 107 * PAGE);
      assertArrayEquals(expected, seen);
      assertEquals(PAGE, reader.read(SIZE - PAGE, 10 * PAGE), "up to the end");
      assertEquals(0, reader.read(SIZE, PAGE));
      assertThrows(IndexOutOfBoundsException.class, () -> reader.read(0, (1 << 20) + 1));
    }
  }

  /** The time a disk takes to deliver what the kernel begins to read is unknown. */
  @Test
  void whatIsNotThereIsLeftOutOrRight() throws Exception {
    try (Fd file = Fd.openRead(path);
        CachedPages cache = CachedPages.of(file, SIZE);
        CacheReader reader = CacheReader.open(path, 1 << 20)) {
      file.fsync();
      PageCache.drop(file, 0, 0);
      long cached = cache.countBytes(0, SIZE);
      Require.feature("disk", cached == 0, "needs temporary files that are not in memory");
      byte[] seen = new byte[reader.read(0, 64 * PAGE)];
      reader.view().clear().get(seen);
      assertArrayEquals(Arrays.copyOf(content, seen.length), seen);
      byte[] page = new byte[PAGE];
      try (var in = Files.newInputStream(path)) {
        assertEquals(PAGE, in.readNBytes(page, 0, PAGE));
      }
      assertTrue(reader.read(0, PAGE) == PAGE, "it is there now");
    }
  }

  @Test
  void aMissingFileIsNamed() {
    LinuxException none =
        assertThrows(
            LinuxException.class, () -> CacheReader.open(path.resolveSibling("none"), PAGE));
    assertTrue(String.valueOf(none.getMessage()).contains("none"), none.getMessage());
  }
}
