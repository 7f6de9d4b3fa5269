// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory.page;

import dev.ramet.linux.NativeBuffer;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.PageRanges;
import java.util.BitSet;
import java.util.List;

/** Merges selections of pages that must be copied. */
public final class PageUnion {
  private PageUnion() {}

  /**
   * Returns every page that is in one of the selections, which must not contain zero pages.
   *
   * @param memory where the pages are now
   */
  public static PageRanges union(List<PageRanges> selections, GuestMemory memory) {
    BitSet pages = new BitSet((int) (memory.imageSizeBytes() / NativeBuffer.PAGE_BYTES));
    for (PageRanges ranges : selections) {
      for (int i = 0; i < ranges.count(); i++) {
        int first = (int) (ranges.imageOffset(i) / NativeBuffer.PAGE_BYTES);
        pages.set(first, first + (int) (ranges.lengthBytes(i) / NativeBuffer.PAGE_BYTES));
      }
    }
    PageRanges.Builder together = new PageRanges.Builder();
    for (MemoryRegion region : memory.regions()) {
      long shift = region.address() - region.imageOffset();
      int end = (int) ((region.imageOffset() + region.lengthBytes()) / NativeBuffer.PAGE_BYTES);
      int at = (int) (region.imageOffset() / NativeBuffer.PAGE_BYTES);
      while ((at = pages.nextSetBit(at)) >= 0 && at < end) {
        int stop = Math.min(end, pages.nextClearBit(at));
        long offset = (long) at * NativeBuffer.PAGE_BYTES;
        together.copy(offset, offset + shift, (long) (stop - at) * NativeBuffer.PAGE_BYTES);
        at = stop;
      }
    }
    return together.build();
  }
}
