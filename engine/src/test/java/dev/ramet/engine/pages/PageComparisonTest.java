// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import static dev.ramet.engine.pages.Machine.PAGE;
import static dev.ramet.engine.pages.Machine.PID;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.NativeBuffer;
import dev.ramet.spi.memory.PageRanges;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PageComparisonTest {
  @Test
  void pagesAreComparedWithAnImage(@TempDir Path directory) throws Exception {
    Path base = CaptureGround.base(directory, 64);
    try (NativeBuffer memory = NativeBuffer.mapPrivate(base, 0, 64L * PAGE)) {
      PageRanges ranges =
          new PageRanges.Builder()
              .zero(0, PAGE)
              .copy(7L * PAGE, memory.address() + 7L * PAGE, 40L * PAGE)
              .build();
      assertTrue(PageComparison.equalImage(PID, ranges, base));
      memory.view(46L * PAGE, PAGE).put(PAGE - 1, (byte) 77);
      assertFalse(PageComparison.equalImage(PID, ranges, base));
      PageRanges wrong = new PageRanges.Builder().zero(PAGE, PAGE).build();
      assertFalse(PageComparison.equalImage(PID, wrong, base));
      PageRanges behind = new PageRanges.Builder().copy(64L * PAGE, memory.address(), PAGE).build();
      assertFalse(PageComparison.equalImage(PID, behind, base), "the image ends before");
    }
  }
}
