// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import static dev.ramet.engine.pages.CaptureGround.MIB;
import static dev.ramet.engine.pages.CaptureGround.PAGES;
import static dev.ramet.engine.pages.Machine.PAGE;
import static dev.ramet.engine.pages.Machine.PID;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.process.ProcMaps;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.PageRanges;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the image of a capture equals the memory. */
final class PageWriterTest {
  @AutoClose private final CaptureGround ground;

  PageWriterTest(@TempDir Path directory) {
    ground = new CaptureGround(directory);
  }

  @Test
  void overABaseTheImageEqualsTheMemory() throws Exception {
    Path base = ground.base(PAGES);
    byte[] before = Files.readAllBytes(base);
    for (int seed = 0; seed < 5; seed++) {
      Path image = ground.copy(base, "image" + seed);
      try (Machine machine = new Machine(base, PAGES, seed)) {
        PagesWritten written = ground.capture(image, Baseline.RESTORE_IMAGE, machine.selected);

        assertArrayEquals(machine.content(), Files.readAllBytes(image));
        assertEquals(machine.selectedBytes(), written.selectedBytes());
        assertEquals(machine.zeroBytes, written.holeBytes());
        assertEquals(machine.selectedBytes() - machine.zeroBytes, written.writtenBytes());
      }
    }
    assertArrayEquals(before, Files.readAllBytes(base), "the base is only read");
  }

  @Test
  void whatWasCopiedBeforeThePauseMayBeOverwrittenAndBecomeZeros() throws Exception {
    Path image = ground.empty((long) PAGES * PAGE);
    try (NativeBuffer memory = NativeBuffer.allocate((long) PAGES * PAGE);
        PageCapture capture = ground.open(image, Baseline.NONE)) {
      byte[] expected = new byte[PAGES * PAGE];
      Arrays.fill(expected, (byte) 3);
      memory.view(0, expected.length).put(expected);
      PageRanges all = new PageRanges.Builder().copy(0, memory.address(), expected.length).build();
      assertEquals(
          expected.length, capture.copyWhileRunning(PID, all, System.nanoTime() + 60_000_000_000L));
      assertEquals(
          Chunk.BYTES, capture.copyWhileRunning(PID, all, System.nanoTime() - 1), "no time");
      Arrays.fill(expected, 5 * PAGE, 9 * PAGE, (byte) 0);
      Arrays.fill(expected, 20 * PAGE, 21 * PAGE, (byte) 4);
      memory.view(0, expected.length).put(expected);
      PageRanges again =
          new PageRanges.Builder()
              .copy(5L * PAGE, memory.address() + 5L * PAGE, 4L * PAGE)
              .copy(20L * PAGE, memory.address() + 20L * PAGE, PAGE)
              .build();
      capture.readWhilePaused(PID, again);
      PagesWritten written = capture.finish();
      assertArrayEquals(expected, Files.readAllBytes(image));
      assertEquals(4L * PAGE, written.holeBytes());
      assertEquals(written.selectedBytes(), written.writtenBytes() + written.holeBytes());
    }
  }

  @Test
  void whatDoesNotFitIntoStagingIsWrittenInThePause() throws Exception {
    int pages = 6 * 2048 + 17;
    Path base = ground.base(pages);
    Path image = ground.copy(base, "image");
    try (Machine machine = new Machine(base, pages, 3)) {
      PagesWritten written = ground.capture(image, Baseline.RESTORE_IMAGE, machine.selected);

      assertArrayEquals(machine.content(), Files.readAllBytes(image));
      assertEquals(machine.selectedBytes(), written.writtenBytes() + written.holeBytes());
      assertTrue(machine.selected.copyBytes() > 8 * MIB);
      assertTrue(written.streamedBytes() >= machine.selected.copyBytes() - 8 * MIB);
      assertTrue(written.streamedBytes() < machine.selected.copyBytes());
    }
  }

  @Test
  void nothingSelectedIsNothingWritten() throws Exception {
    Path image = ground.copy(ground.base(4), "image");
    PagesWritten written =
        ground.capture(image, Baseline.RESTORE_IMAGE, new PageRanges.Builder().build());
    assertEquals(new PagesWritten(0, 0, 0, 0, 0), written);
  }

  @Test
  void concurrentCapturesShareThePool() throws Exception {
    int machines = 8;
    int pages = 4096;
    Path base = ground.base(pages);
    ExecutorService threads = Executors.newFixedThreadPool(machines);
    try {
      List<Callable<Boolean>> captures = new ArrayList<>();
      for (int seed = 0; seed < machines; seed++) {
        Path image = ground.copy(base, "concurrent" + seed);
        long own = seed;
        captures.add(
            () -> {
              try (Machine machine = new Machine(base, pages, own)) {
                ground.capture(image, Baseline.RESTORE_IMAGE, machine.selected);
                assertArrayEquals(machine.content(), Files.readAllBytes(image));
                return ground.pool().allocatedBytes() <= CaptureGround.POOL_BYTES;
              }
            });
      }
      for (Future<Boolean> done : threads.invokeAll(captures)) {
        assertTrue(done.get());
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void anotherProcessIsCapturedAndItsEndReported() throws Exception {
    Process child = new ProcessBuilder("sleep", "60").start();
    try {
      ProcMaps.Mapping head = ProcMaps.read(child.pid()).get(0);
      PageRanges ranges = new PageRanges.Builder().copy(0, head.start(), PAGE).build();
      Path image = ground.empty(PAGE);
      try (PageCapture capture = ground.open(image, Baseline.NONE)) {
        capture.readWhilePaused(child.pid(), ranges);
        capture.finish();
      }
      byte[] program = Files.readAllBytes(Path.of(head.path()));
      assertArrayEquals(Arrays.copyOf(program, PAGE), Files.readAllBytes(image));

      child.destroyForcibly().waitFor();

      try (PageCapture capture = ground.open(image, Baseline.NONE)) {
        RametException e =
            assertThrows(RametException.class, () -> capture.readWhilePaused(child.pid(), ranges));
        assertEquals(ErrorCode.HYPERVISOR_FAILED, e.code());
      }
    } finally {
      child.destroyForcibly().waitFor();
    }
  }
}
