// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.NativeBuffer;
import dev.ramet.testing.Require;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CachedPagesTest {
  private static final int PAGE = NativeBuffer.PAGE_BYTES;
  private static final long SIZE = 20_000L * PAGE;
  private static final long DEADLINE_NANOS = 300_000_000_000L;

  private final Path path;

  CachedPagesTest(@TempDir Path directory) throws Exception {
    path = directory.resolve("file");
    byte[] content = new byte[(int) SIZE];
    new Random(1).nextBytes(content);
    Files.write(path, content);
  }

  @Test
  void whatIsReadAheadIsThereAndNothingElse() throws Exception {
    long offset = 5_000L * PAGE;
    long length = 700L * PAGE;
    try (Fd fd = Fd.openRead(path);
        CachedPages cache = CachedPages.of(fd, SIZE)) {
      assertEquals(SIZE, cache.countBytes(0, SIZE), "it was just written");
      fd.fsync();
      PageCache.drop(fd, 0, 0);
      Require.feature(
          "disk", cache.countBytes(0, SIZE) == 0, "needs temporary files that are not in memory");
      PageCache.beginReadAhead(fd, offset, length);
      long deadline = System.nanoTime() + DEADLINE_NANOS;
      while (cache.countBytes(offset, length) < length) {
        assertTrue(System.nanoTime() < deadline, "read ahead");
        Thread.sleep(5);
      }
      // A file system with large folios may read a little around it.
      assertTrue(cache.countBytes(0, SIZE) <= length + 64L * PAGE);
      StringBuilder seen = new StringBuilder();
      cache.reportRuns(
          offset + length - PAGE,
          PAGE,
          (at, bytes, cached) -> seen.append(at / PAGE).append(' ').append(bytes).append(cached));
      assertEquals("5699 4096true", seen.toString());
    }
  }

  @Test
  void aRangeOutsideOfTheFileIsRefused() throws Exception {
    try (Fd fd = Fd.openRead(path)) {
      CachedPages cache = CachedPages.of(fd, SIZE);
      assertThrows(IndexOutOfBoundsException.class, () -> cache.countBytes(SIZE, PAGE));
      assertThrows(IndexOutOfBoundsException.class, () -> cache.countBytes(-PAGE, PAGE));
      cache.close();
      cache.close();
      assertThrows(IllegalStateException.class, () -> cache.countBytes(0, PAGE));
    }
  }
}
