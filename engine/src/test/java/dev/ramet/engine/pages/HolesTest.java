// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import static dev.ramet.engine.pages.CaptureGround.PAGES;
import static dev.ramet.engine.pages.Machine.PAGE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.NativeBuffer;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.PageRanges;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that pages of zeros take no space in an image. */
final class HolesTest {
  @AutoClose private final CaptureGround ground;

  HolesTest(@TempDir Path directory) {
    ground = new CaptureGround(directory);
  }

  @Test
  void pagesWrittenByTheBaseBecomeRealHoles() throws Exception {
    byte[] ones = new byte[256 * PAGE];
    Arrays.fill(ones, (byte) 1);
    Path image =
        Files.write(
            ground.path("image"),
            ones,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.SYNC);
    long before = allocatedBytes(image);
    try (NativeBuffer zeros = NativeBuffer.allocate(64L * PAGE)) {
      PageRanges ranges =
          new PageRanges.Builder()
              .copy(0, zeros.address(), 64L * PAGE)
              .zero(128L * PAGE, 64L * PAGE)
              .build();
      PagesWritten written = ground.capture(image, Baseline.PREVIOUS_CAPTURE, ranges);
      assertEquals(new PagesWritten(128L * PAGE, 0, 128L * PAGE, 0, 0), written);
    }
    Arrays.fill(ones, 0, 64 * PAGE, (byte) 0);
    Arrays.fill(ones, 128 * PAGE, 192 * PAGE, (byte) 0);
    assertArrayEquals(ones, Files.readAllBytes(image));
    // The file system may need a block to list the extents.
    long room = allocatedBytes(image) - (before - 128L * PAGE);
    assertTrue(room >= 0 && room <= PAGE, () -> room + " bytes more than the data");
  }

  @Test
  void withoutABaselineZerosTakeNoRoom() throws Exception {
    Path image = ground.empty((long) PAGES * PAGE);
    try (Machine machine = new Machine(ground.base(PAGES), PAGES, 7)) {
      byte[] content = machine.content();
      PagesWritten written = ground.capture(image, Baseline.NONE, machine.whole());

      assertArrayEquals(content, Files.readAllBytes(image));
      assertEquals((long) PAGES * PAGE, written.selectedBytes());
      assertEquals(written.selectedBytes(), written.writtenBytes() + written.holeBytes());
      sync(image);
      // The file system may need a few blocks to list the extents.
      long room = allocatedBytes(image) - written.writtenBytes();
      assertTrue(room >= 0 && room <= 16L * PAGE, "room beyond what was written: " + room);
    }
  }

  @Test
  void whereThereAreNoHolesZerosAreWritten() throws Exception {
    Path base = ground.base(PAGES);
    try (Mount mount = Mount.withoutHoles(ground.path("ram"));
        Machine machine = new Machine(base, PAGES, 11)) {
      Path image = Files.copy(base, mount.path().resolve("image"));

      PagesWritten written = ground.capture(image, Baseline.RESTORE_IMAGE, machine.selected);

      assertArrayEquals(machine.content(), Files.readAllBytes(image));
      assertEquals(machine.selectedBytes(), written.writtenBytes());
      assertEquals(0, written.holeBytes());
    }
  }

  private static void sync(Path file) throws Exception {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      open.getFD().sync();
    }
  }

  /** Returns the allocated size; stat(1) counts blocks of 512 bytes. */
  private static long allocatedBytes(Path file) throws Exception {
    Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
    byte[] answer = stat.getInputStream().readAllBytes();
    return 512 * Long.parseLong(new String(answer, StandardCharsets.US_ASCII).trim());
  }
}
