// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import static dev.ramet.engine.pages.CaptureGround.MIB;
import static dev.ramet.engine.pages.Machine.PAGE;
import static dev.ramet.engine.pages.Machine.PID;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.PageRanges;
import dev.ramet.spi.storage.Attachment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a failed capture reports the reason and releases its resources. */
final class PageWriterFailuresTest {
  @AutoClose private final CaptureGround ground;

  PageWriterFailuresTest(@TempDir Path directory) {
    ground = new CaptureGround(directory);
  }

  @Test
  void aFullDiskIsReportedWithItsFileWhenStagedAndWhenStreamed() throws Exception {
    try (Mount mount = Mount.ofOneMebibyte(ground.path("small"));
        NativeBuffer memory = NativeBuffer.allocate(24 * MIB)) {
      for (long at = 0; at < memory.sizeBytes(); at += PAGE) {
        memory.view(at, 1).put(0, (byte) 1);
      }
      PageRanges fits = new PageRanges.Builder().copy(0, memory.address(), 4 * MIB).build();
      PageRanges large = new PageRanges.Builder().copy(0, memory.address(), 24 * MIB).build();
      Path image = CaptureGround.empty(mount.path(), 24 * MIB);
      try (PageCapture capture = ground.open(image, Baseline.NONE)) {
        capture.readWhilePaused(PID, fits);
        RametException e = assertThrows(RametException.class, capture::finish);
        assertFull(e, image);
        assertThrows(IllegalStateException.class, capture::finish);
      }
      try (PageCapture capture = ground.open(image, Baseline.NONE)) {
        assertFull(
            assertThrows(RametException.class, () -> capture.readWhilePaused(PID, large)), image);
        assertThrows(IllegalStateException.class, capture::finish);
      }
    }
  }

  private static void assertFull(RametException e, Path image) {
    assertEquals(ErrorCode.NO_SPACE, e.code());
    assertTrue(String.valueOf(e.getMessage()).contains(image.toString()));
    assertTrue(String.valueOf(e.getMessage()).contains("(tmpfs, 0 of 1 MiB free)"), e::toString);
    assertTrue(String.valueOf(e.remedy()).contains("delete snapshots"), e.remedy());
  }

  @Test
  void waitingForStagingCanBeInterrupted() throws Exception {
    Path image = ground.empty(PAGE);
    Path other = ground.empty(PAGE);
    try (StagingPool small = new StagingPool(0)) {
      PageWriter one = new PageWriter(small, 0);
      try (PageCapture holds = one.open(CaptureGround.file(image), Baseline.NONE)) {
        Thread.currentThread().interrupt();
        RametException e =
            assertThrows(
                RametException.class,
                () -> one.open(CaptureGround.file(other), Baseline.NONE).close());
        assertEquals(ErrorCode.CANCELLED, e.code());
        assertTrue(Thread.interrupted());
        holds.readWhilePaused(PID, new PageRanges.Builder().zero(0, PAGE).build());
        assertEquals(new PagesWritten(PAGE, 0, PAGE, 0, 0), holds.finish());
      }
    }
  }

  @Test
  void badInputChangesNothing() throws Exception {
    Path image = ground.copy(ground.base(4), "image");
    byte[] before = Files.readAllBytes(image);
    PageRanges unmapped = new PageRanges.Builder().copy(0, 1 << 20, PAGE).build();
    PageRanges beyond = new PageRanges.Builder().zero(3L * PAGE, 2L * PAGE).build();
    for (var wrong :
        List.of(
            new Wrong(unmapped, ErrorCode.HYPERVISOR_FAILED),
            new Wrong(beyond, ErrorCode.CORRUPT))) {
      try (PageCapture capture = ground.open(image, Baseline.RESTORE_IMAGE)) {
        RametException e =
            assertThrows(RametException.class, () -> capture.readWhilePaused(PID, wrong.ranges()));
        assertEquals(wrong.code(), e.code());
      }
    }
    Attachment sealed = new Attachment.LocalFile(image, true);
    RametException e =
        assertThrows(
            RametException.class, () -> ground.writer().open(sealed, Baseline.NONE).close());
    assertEquals(ErrorCode.CONFLICT, e.code());
    Attachment absent = CaptureGround.file(ground.path("absent"));
    e =
        assertThrows(
            RametException.class, () -> ground.writer().open(absent, Baseline.NONE).close());
    assertEquals(ErrorCode.HOST_UNFIT, e.code());
    assertTrue(e.remedy() != null, "an operator needs a remedy");
    assertArrayEquals(before, Files.readAllBytes(image));
  }

  private record Wrong(PageRanges ranges, ErrorCode code) {}
}
