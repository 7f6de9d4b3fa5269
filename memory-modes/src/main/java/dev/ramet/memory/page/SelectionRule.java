// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory.page;

import static dev.ramet.linux.memory.Pagemap.FILE_OR_SHARED;
import static dev.ramet.linux.memory.Pagemap.PRESENT;
import static dev.ramet.linux.memory.Pagemap.SWAPPED;

import dev.ramet.linux.NativeBuffer;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.PageRanges;
import java.util.BitSet;

/**
 * Decides from a page's pagemap entry whether the page must be written, as a pure function from
 * entries to ranges. A mistake here would lose a page, so in doubt a page is copied.
 */
public enum SelectionRule {
  /**
   * A private mapping of the restore image: a page differs from it if it is a private copy, in
   * memory or in swap. A swapped page counts whatever the other bits say, because a copy that is
   * being written to swap, or moved in memory, is not present. An absent page has the image's
   * content.
   */
  CHANGED_COPIES(PRESENT | FILE_OR_SHARED, false),

  /**
   * A private mapping where the image has a hole: a page that is not a private copy is zero,
   * whether it is absent or a zero page that the kernel allocated for the file.
   */
  COPIES_OR_ZERO(PRESENT | FILE_OR_SHARED, true),

  /**
   * Private anonymous memory: a page that never existed, or was given back, reads as zero. The
   * file-or-shared bit must be ignored here, because the huge zero page has it.
   */
  ANONYMOUS_OR_ZERO(PRESENT, true);

  /** A page in memory is copied when, of these bits, it has {@code PRESENT} alone. */
  private final long mask;

  private final boolean elseZero;

  SelectionRule(long mask, boolean elseZero) {
    this.mask = mask;
    this.elseZero = elseZero;
  }

  /** Returns the rule for memory of a private kind. */
  public static SelectionRule forKind(MemoryRegion.Kind kind) {
    return switch (kind) {
      case PRIVATE_IMAGE -> CHANGED_COPIES;
      case ANONYMOUS -> ANONYMOUS_OR_ZERO;
      case SHARED, FAULTED ->
          throw new IllegalArgumentException("the page table does not tell about " + kind);
    };
  }

  /** Returns whether a page in memory is copied whether or not it belongs to a file. */
  boolean selectsFilePages() {
    return (mask & FILE_OR_SHARED) == 0;
  }

  /** Returns whether pages that are not copied are known to be zero. */
  boolean elseZero() {
    return elseZero;
  }

  /** Returns whether the page must be read from the process. */
  public boolean isCopied(long entry) {
    return (entry & SWAPPED) != 0 || (entry & mask) == PRESENT;
  }

  /**
   * Turns the entries of consecutive pages into ranges.
   *
   * @param entries one entry a page, from index 0
   * @param pages how many
   * @param imageOffset where the first page stands in the image
   * @param address where it stands in the process
   * @param into receives the ranges in ascending order
   */
  public void select(
      long[] entries, int pages, long imageOffset, long address, PageRanges.Builder into) {
    int from = 0;
    while (from < pages) {
      boolean copy = isCopied(entries[from]);
      int to = from + 1;
      while (to < pages && isCopied(entries[to]) == copy) {
        to++;
      }
      long offset = (long) from * NativeBuffer.PAGE_BYTES;
      long length = (long) (to - from) * NativeBuffer.PAGE_BYTES;
      if (copy) {
        into.copy(imageOffset + offset, address + offset, length);
      } else if (elseZero) {
        into.zero(imageOffset + offset, length);
      }
      from = to;
    }
  }

  /** Adds the pages that the process has its own content for, counted from {@code firstPage}. */
  public void addHeld(long[] entries, int pages, int firstPage, BitSet into) {
    for (int i = 0; i < pages; i++) {
      if (isCopied(entries[i])) {
        into.set(firstPage + i);
      }
    }
  }
}
