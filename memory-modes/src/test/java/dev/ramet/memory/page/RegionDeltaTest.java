// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory.page;

import static dev.ramet.spi.memory.MemoryRegion.Kind.ANONYMOUS;
import static dev.ramet.spi.memory.MemoryRegion.Kind.PRIVATE_IMAGE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.memory.SoftDirty;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.PageRanges;
import java.util.Arrays;
import java.util.BitSet;
import org.junit.jupiter.api.Test;

/**
 * Tests the rules relative to a previous capture, on entries that no kernel here produces at will.
 */
class RegionDeltaTest {
  private static final long P = 1L << 63;
  private static final long S = 1L << 62;
  private static final long F = 1L << 61;
  private static final long X = 1L << 56;
  private static final long D = 1L << 55;

  private static final int PAGE = 4096;
  private static final int OFFSET = 256;

  /** One letter a page: h held at the previous capture, a dot for not. */
  private static BitSet held(String pages) {
    BitSet held = new BitSet();
    for (int i = 0; i < pages.length(); i++) {
      held.set(OFFSET + i, pages.charAt(i) == 'h');
    }
    return held;
  }

  /** One letter a page: c copied, z zero, a dot for neither; behind it the pages held now. */
  private static String softDirty(MemoryRegion.Kind kind, BitSet before, long... entries) {
    MemoryRegion region =
        new MemoryRegion((long) OFFSET * PAGE, 1 << 30, (long) entries.length * PAGE, kind);
    PageRanges.Builder into = new PageRanges.Builder();
    BitSet held = new BitSet();
    RegionDelta delta = new RegionDelta(region, before, held, into);
    // In two pieces, as a scan may be cut anywhere.
    int half = entries.length / 2;
    SoftDirty.select(entries, half, 0, kind, delta);
    long[] rest = Arrays.copyOfRange(entries, half, entries.length);
    SoftDirty.select(rest, rest.length, half, kind, delta);
    PageRanges ranges = into.build();
    char[] letters = ".".repeat(entries.length).toCharArray();
    for (int i = 0; i < ranges.count(); i++) {
      int first = (int) (ranges.imageOffset(i) / PAGE) - OFFSET;
      for (int page = 0; page < ranges.lengthBytes(i) / PAGE; page++) {
        letters[first + page] = ranges.isZero(i) ? 'z' : 'c';
      }
      if (!ranges.isZero(i)) {
        assertEquals((1 << 30) + (long) first * PAGE, ranges.address(i));
      }
    }
    StringBuilder now = new StringBuilder();
    for (int i = 0; i < entries.length; i++) {
      now.append(held.get(OFFSET + i) ? 'h' : '.');
    }
    return new String(letters) + " " + now;
  }

  @Test
  void anImagePageIsCopiedWhenItsPrivateCopyIsDirtyOrGone() {
    assertEquals(
        "c.c.cc.. hhhh....",
        softDirty(
            PRIVATE_IMAGE,
            held("hhhhhh.."),
            P | X | D,
            P | X,
            S | D,
            S,
            0, // discarded
            P | F | X, // discarded and read
            P | F | X | D,
            0));
    assertEquals("c .", softDirty(PRIVATE_IMAGE, held("h"), P | F | X));
    assertEquals("c .", softDirty(PRIVATE_IMAGE, held("h"), P | F | X | D));
    assertEquals(". .", softDirty(PRIVATE_IMAGE, held("."), P | F | X | D));
    assertEquals("c h", softDirty(PRIVATE_IMAGE, held("."), P | X));
    assertEquals("c h", softDirty(PRIVATE_IMAGE, held("."), S));
    assertEquals("c h", softDirty(PRIVATE_IMAGE, held("h"), P));
  }

  @Test
  void anAnonymousPageMayHaveBecomeZeroWithoutABit() {
    assertEquals(
        "c.c.z.cc hhhh..hh",
        softDirty(
            ANONYMOUS,
            held("hhhhh.hh"),
            P | X | D,
            P | X,
            S | D,
            S,
            0,
            0,
            P, // the shared page of zeros
            P | F)); // the shared huge page of zeros
    assertEquals("cc hh", softDirty(ANONYMOUS, held(".."), P | X, S));
    assertEquals("z. ..", softDirty(ANONYMOUS, held("h."), D, D));
  }

  @Test
  void heldIsWhatTheIncrementalRuleCopies() {
    long[] bits = {P, S, F, X, D};
    for (MemoryRegion.Kind kind : new MemoryRegion.Kind[] {PRIVATE_IMAGE, ANONYMOUS}) {
      for (int i = 0; i < 1 << bits.length; i++) {
        long entry = 0;
        for (int bit = 0; bit < bits.length; bit++) {
          entry |= (i >> bit & 1) != 0 ? bits[bit] : 0;
        }
        BitSet held = new BitSet();
        SelectionRule.forKind(kind).addHeld(new long[] {0, entry}, 2, OFFSET - 1, held);
        boolean copied = SelectionRule.forKind(kind).isCopied(entry);
        assertEquals(copied, held.get(OFFSET));
        assertEquals(copied, softDirty(kind, held("h"), entry).endsWith("h"));
        assertEquals(copied ? "c" : ".", softDirty(kind, held("."), entry).substring(0, 1));
      }
    }
  }

  @Test
  void runsAreCutWhereTheMemoryOfThePastSaysSo() {
    assertEquals(
        ".ccc.. hhhhhh",
        softDirty(PRIVATE_IMAGE, held("h...hh"), P | X, P | X, P | X, P | X, P | X, P | X));
    assertEquals("c..cc. ......", softDirty(PRIVATE_IMAGE, held("h..hh."), 0, 0, 0, 0, 0, 0));
    assertEquals("z..zz. ......", softDirty(ANONYMOUS, held("h..hh."), 0, 0, 0, 0, 0, 0));
  }

  @Test
  void onlyAPlaceInARealSwapAreaIsBelieved() {
    assertTrue(WrittenPages.inSwap(S | 7 << 5));
    assertTrue(WrittenPages.inSwap(S | 7 << 5 | 3));
    assertFalse(WrittenPages.inSwap(S | 1 << 5 | 31), "a note on a discarded page");
    assertFalse(WrittenPages.inSwap(S | 0x1234 << 5 | 29), "a page on the move");
    assertFalse(WrittenPages.inSwap(S), "hidden from readers without privileges");
  }
}
