// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.SYNC;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImageFileTest {
  private static final int PAGE = NativeBuffer.PAGE_BYTES;

  @Test
  void writesAndPunches(@TempDir Path directory) throws Exception {
    byte[] ones = new byte[64 * PAGE];
    Arrays.fill(ones, (byte) 1);
    Path path = Files.write(directory.resolve("image"), ones, CREATE, WRITE, SYNC);
    long before = blocks(path);
    try (ImageFile file = ImageFile.open(path);
        NativeBuffer twos = NativeBuffer.allocate(2L * PAGE)) {
      twos.view(PAGE, PAGE).put(new byte[PAGE]).put(PAGE - 1, (byte) 2);
      assertEquals(ones.length, file.sizeBytes());
      file.write(twos, PAGE, PAGE, 3L * PAGE);
      file.punchHole(8L * PAGE, 16L * PAGE);
      assertThrows(IndexOutOfBoundsException.class, () -> file.write(twos, PAGE, PAGE + 1, 0));
    }
    Arrays.fill(ones, 3 * PAGE, 4 * PAGE, (byte) 0);
    ones[4 * PAGE - 1] = 2;
    Arrays.fill(ones, 8 * PAGE, 24 * PAGE, (byte) 0);
    assertArrayEquals(ones, Files.readAllBytes(path));
    assertTrue(blocks(path) < before, "a hole gives its blocks back");
  }

  @Test
  void failuresKeepTheirNumber(@TempDir Path directory) throws Exception {
    LinuxException absent =
        assertThrows(LinuxException.class, () -> ImageFile.open(directory.resolve("absent")));
    assertEquals(LinuxException.ENOENT, absent.errno());
    try (ImageFile full = ImageFile.open(Path.of("/dev/full"));
        NativeBuffer page = NativeBuffer.allocate(PAGE)) {
      LinuxException error = assertThrows(LinuxException.class, () -> full.write(page, 0, 1, 0));
      assertEquals(LinuxException.ENOSPC, error.errno());
    }
  }

  private static long blocks(Path path) throws Exception {
    Process stat =
        new ProcessBuilder("stat", "-c", "%b", path.toString()).redirectErrorStream(true).start();
    return Long.parseLong(new String(stat.getInputStream().readAllBytes(), US_ASCII).trim());
  }
}
