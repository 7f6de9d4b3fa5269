// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import static dev.ramet.engine.pages.CaptureGround.PAGES;
import static dev.ramet.engine.pages.Machine.PAGE;
import static dev.ramet.engine.pages.Machine.PID;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.PageCache;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.PageRanges;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that pages which the image already holds from its base are not written again. */
final class BasePagesTest {
  @AutoClose private final CaptureGround ground;

  BasePagesTest(@TempDir Path directory) {
    ground = new CaptureGround(directory);
  }

  @Test
  void whatTheBaseHoldsIsLeftOut() throws Exception {
    Path base = ground.base(PAGES);
    Path image = ground.copy(base, "image");
    try (NativeBuffer memory = NativeBuffer.mapPrivate(base, 0, (long) PAGES * PAGE);
        PageCapture capture = ground.open(image, Baseline.RESTORE_IMAGE, base)) {
      byte[] expected = Files.readAllBytes(base);
      // Of 1000 pages, 200 of which are zeros, one in the middle and the last differ.
      Arrays.fill(expected, 501 * PAGE, 502 * PAGE, (byte) 9);
      expected[999 * PAGE + PAGE - 1] = 8;
      memory.view(0, expected.length).put(expected);
      PageRanges written = new PageRanges.Builder().copy(0, memory.address(), 1000L * PAGE).build();
      capture.readWhilePaused(PID, written);
      PagesWritten done = capture.finish();
      assertArrayEquals(expected, Files.readAllBytes(image));
      assertEquals(2L * PAGE, done.writtenBytes());
      assertEquals(200L * PAGE, done.holeBytes());
      assertEquals(798L * PAGE, done.sameBytes());
      assertEquals(done.selectedBytes(), 1000L * PAGE);
    }
  }

  @Test
  void whereHardlyAPageIsAsTheBaseHasItFewAreComparedWithIt() throws Exception {
    int pages = 3000; // 600 of them are zeros, which are never compared
    Path base = ground.base(pages);
    Path image = ground.copy(base, "image");
    try (NativeBuffer memory = NativeBuffer.mapPrivate(base, 0, (long) pages * PAGE);
        PageCapture capture = ground.open(image, Baseline.RESTORE_IMAGE, base)) {
      byte[] expected = Files.readAllBytes(base);
      for (int page = 0; page < SearchPayoff.SAMPLE / 4 * 5; page++) {
        expected[page * PAGE] = (byte) (page % 5 == 0 ? 0 : 9);
      }
      memory.view(0, expected.length).put(expected);
      PageRanges all =
          new PageRanges.Builder().copy(0, memory.address(), (long) pages * PAGE).build();
      assertEquals(
          all.copyBytes(), capture.copyWhileRunning(PID, all, System.nanoTime() + 60_000_000_000L));
      capture.readWhilePaused(PID, new PageRanges.Builder().build());
      PagesWritten done = capture.finish();
      assertArrayEquals(expected, Files.readAllBytes(image));
      assertEquals(
          (SearchPayoff.SAMPLE + SearchPayoff.PASSED_OVER) * (long) PAGE, done.writtenBytes());
      assertEquals(600L * PAGE, done.holeBytes());
      assertEquals(
          (2400L - SearchPayoff.SAMPLE - SearchPayoff.PASSED_OVER) * PAGE,
          done.sameBytes(),
          "looked again");
    }
  }

  @Test
  void whatWasCopiedIsNotTakenForTheBase() throws Exception {
    Path base = ground.base(PAGES);
    Path image = ground.copy(base, "image");
    try (NativeBuffer memory = NativeBuffer.mapPrivate(base, 0, (long) PAGES * PAGE);
        PageCapture capture = ground.open(image, Baseline.RESTORE_IMAGE, base)) {
      // In the first round, one page is changed, one is zeroed and one stays the same.
      memory.view(6L * PAGE, PAGE).put(0, (byte) 77);
      memory.view(7L * PAGE, PAGE).put(new byte[PAGE]);
      PageRanges three =
          new PageRanges.Builder().copy(6L * PAGE, memory.address() + 6L * PAGE, 3L * PAGE).build();
      assertEquals(
          three.copyBytes(),
          capture.copyWhileRunning(PID, three, System.nanoTime() + 60_000_000_000L));
      // During the pause, they equal the base again.
      memory.view(6L * PAGE, PAGE).put(0, (byte) 1);
      byte[] two = new byte[PAGE];
      Arrays.fill(two, (byte) 2);
      memory.view(7L * PAGE, PAGE).put(two);
      capture.readWhilePaused(PID, three);
      PagesWritten done = capture.finish();
      assertArrayEquals(Files.readAllBytes(base), Files.readAllBytes(image));
      assertEquals(3L * PAGE, done.writtenBytes());
      assertEquals(PAGE, done.holeBytes());
      assertEquals(2L * PAGE, done.sameBytes());
    }
  }

  @Test
  void aBaseThatIsNotInTheCacheOrNotThereIsNoObstacle() throws Exception {
    Path base = ground.base(PAGES);
    try (Fd cold = Fd.openRead(base)) {
      cold.fsync();
      PageCache.drop(cold, 0, 0);
    }
    for (Path one : List.of(base, ground.path("none"))) {
      Path image = ground.copy(base, "beside-" + one.getFileName());
      try (Machine machine = new Machine(base, PAGES, 3);
          PageCapture capture = ground.open(image, Baseline.RESTORE_IMAGE, one)) {
        capture.readWhilePaused(PID, machine.selected);
        capture.finish();
        assertArrayEquals(machine.content(), Files.readAllBytes(image));
      }
    }
  }
}
