// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PageRangesTest {
  private static final int PAGE = 4096;

  @Test
  void manyRangesKeepTheirOrderAndSums() {
    PageRanges.Builder builder = new PageRanges.Builder();
    int count = 10_000;
    for (int i = 0; i < count; i++) {
      long offset = 2L * i * PAGE;
      if (i % 3 == 0) {
        builder.zero(offset, PAGE);
      } else {
        builder.copy(offset, offset + (1L << 40), PAGE);
      }
    }

    PageRanges ranges = builder.build();

    assertEquals(count, ranges.count());
    for (int i = 0; i < count; i++) {
      assertEquals(2L * i * PAGE, ranges.imageOffset(i));
      assertEquals(PAGE, ranges.lengthBytes(i));
      assertEquals(i % 3 == 0, ranges.isZero(i));
      assertEquals(i % 3 == 0 ? -1 : 2L * i * PAGE + (1L << 40), ranges.address(i));
    }
    assertEquals(3334L * PAGE, ranges.zeroBytes());
    assertEquals(6666L * PAGE, ranges.copyBytes());
  }

  @Test
  void neighboursMergeWhenTheyContinueInBothPlaces() {
    PageRanges ranges =
        new PageRanges.Builder()
            .copy(0, 1 << 20, PAGE)
            .copy(PAGE, (1 << 20) + PAGE, PAGE)
            .copy(2 * PAGE, 9 << 20, PAGE)
            .zero(3 * PAGE, PAGE)
            .zero(4 * PAGE, PAGE)
            .copy(5 * PAGE, 0, PAGE)
            .build();
    assertEquals(4, ranges.count());
    assertEquals(2 * PAGE, ranges.lengthBytes(0));
    assertTrue(ranges.isZero(2));
    assertEquals(2 * PAGE, ranges.lengthBytes(2));
    assertFalse(ranges.isZero(3));
  }

  @Test
  void whatWasBuiltDoesNotChange() {
    PageRanges.Builder builder = new PageRanges.Builder();
    assertEquals(0, builder.build().count());
    for (int i = 0; i < 1024; i++) {
      builder.copy(2L * i * PAGE, 0, PAGE);
    }
    PageRanges full = builder.build();
    builder.copy(2047L * PAGE, PAGE, PAGE).copy(4000L * PAGE, 0, PAGE);

    assertEquals(1024, full.count());
    assertEquals(PAGE, full.lengthBytes(1023));
    assertEquals(1025, builder.build().count());
    assertEquals(2 * PAGE, builder.build().lengthBytes(1023));
  }

  @Test
  void rangesMustAscend() {
    PageRanges.Builder builder = new PageRanges.Builder().copy(PAGE, 0, 2 * PAGE);
    assertThrows(IllegalArgumentException.class, () -> builder.copy(2 * PAGE, 0, PAGE));
    assertThrows(IllegalArgumentException.class, () -> builder.zero(0, PAGE));
  }
}
