// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory.page;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ramet.spi.memory.PageRanges;
import org.junit.jupiter.api.Test;

/**
 * Tests the rules on every combination of bits, including those that a test cannot produce at will.
 */
class SelectionRuleTest {
  private static final long P = 1L << 63;
  private static final long S = 1L << 62;
  private static final long F = 1L << 61;

  /** Bits that say nothing about content: exclusive, soft-dirty, frame number. */
  private static final long NOISE = 1L << 56 | 1L << 55 | 0x1234;

  private static String select(SelectionRule rule, long... entries) {
    PageRanges.Builder builder = new PageRanges.Builder();
    rule.select(entries, entries.length, 1 << 20, 1 << 30, builder);
    PageRanges ranges = builder.build();
    char[] pages = ".".repeat(entries.length).toCharArray();
    for (int i = 0; i < ranges.count(); i++) {
      int first = (int) (ranges.imageOffset(i) - (1 << 20)) / 4096;
      for (int page = 0; page < ranges.lengthBytes(i) / 4096; page++) {
        pages[first + page] = ranges.isZero(i) ? 'z' : 'c';
      }
      if (!ranges.isZero(i)) {
        assertEquals((1 << 30) + first * 4096L, ranges.address(i));
      }
    }
    return new String(pages);
  }

  @Test
  void anImagePageIsCopiedWhenPrivateOrSwapped() {
    assertEquals(
        "..cc.cc.",
        select(SelectionRule.CHANGED_COPIES, 0, P | F, P, S, F, S | F, P | S | F, NOISE | P | F));
    assertEquals("cccc", select(SelectionRule.CHANGED_COPIES, P | NOISE, S | NOISE, P | S, P));
  }

  @Test
  void aPageOverAHoleIsCopiedWhenPrivateOrSwappedAndZeroOtherwise() {
    assertEquals(
        "zzcczccz",
        select(SelectionRule.COPIES_OR_ZERO, 0, P | F, P, S, F, S | F, P | S | F, NOISE | P | F));
    assertEquals("cccc", select(SelectionRule.COPIES_OR_ZERO, P | NOISE, S | NOISE, P | S, P));
  }

  @Test
  void anAnonymousPageIsCopiedWhenThereIsOneAndZeroOtherwise() {
    assertEquals(
        "zccczcc",
        select(SelectionRule.ANONYMOUS_OR_ZERO, 0, P | F, P, S, NOISE, S | F, P | NOISE));
    assertEquals("zz", select(SelectionRule.ANONYMOUS_OR_ZERO, 0, 0));
  }

  @Test
  void nothingSelectsNothing() {
    assertEquals("", select(SelectionRule.CHANGED_COPIES));
    assertEquals("....", select(SelectionRule.CHANGED_COPIES, 0, 0, 0, P | F));
  }
}
