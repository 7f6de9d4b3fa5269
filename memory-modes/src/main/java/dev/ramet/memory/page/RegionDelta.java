// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory.page;

import dev.ramet.linux.NativeBuffer;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.PageRanges;
import java.util.BitSet;

/**
 * Turns the known state of a region's pages into the ranges that a capture must write, relative to
 * the previous capture. Write tracking does not show that a page was discarded: its new content is
 * not written but is that of the image, or zero. Therefore the pages held at the previous capture
 * are remembered, and a page that is no longer held has changed.
 *
 * <p>A page is <em>held</em> if the process has its own content for it: a private copy of the
 * image's page, or anonymous memory.
 */
public final class RegionDelta {
  private final MemoryRegion region;
  private final BitSet before;
  private final BitSet held;
  private final PageRanges.Builder into;
  private final int firstPage;

  /**
   * Takes a region's pages, which must come in ascending order, counted from the region's start.
   *
   * @param before the pages of the image that were held at the previous capture
   * @param held receives the pages of the image that are held now
   * @param into receives the ranges to write
   */
  public RegionDelta(MemoryRegion region, BitSet before, BitSet held, PageRanges.Builder into) {
    this.region = region;
    this.before = before;
    this.held = held;
    this.into = into;
    this.firstPage = (int) (region.imageOffset() / NativeBuffer.PAGE_BYTES);
  }

  /** Held pages that changed or may have changed. */
  public void changed(int from, int to) {
    held.set(firstPage + from, firstPage + to);
    copy(from, to);
  }

  /** Held pages that were not written. If they were not held before, something is wrong: copied. */
  public void unwritten(int from, int to) {
    held.set(firstPage + from, firstPage + to);
    int at = firstPage + from;
    int end = firstPage + to;
    while ((at = before.nextClearBit(at)) < end) {
      int next = before.nextSetBit(at);
      int stop = next < 0 ? end : Math.min(end, next);
      copy(at - firstPage, stop - firstPage);
      at = stop;
    }
  }

  /** Pages that are not held. */
  public void absent(int from, int to) {
    int at = firstPage + from;
    int end = firstPage + to;
    while ((at = before.nextSetBit(at)) >= 0 && at < end) {
      int stop = Math.min(end, before.nextClearBit(at));
      if (region.kind() == MemoryRegion.Kind.ANONYMOUS) {
        into.zero(region.imageOffset() + bytes(at - firstPage), bytes(stop - at));
      } else {
        copy(at - firstPage, stop - firstPage); // The restore image's page shows again.
      }
      at = stop;
    }
  }

  /** Discards what was recorded as held now, for pages that will be visited again. */
  public void discardHeld() {
    held.clear(firstPage, firstPage + (int) (region.lengthBytes() / NativeBuffer.PAGE_BYTES));
  }

  private void copy(int from, int to) {
    long offset = bytes(from);
    into.copy(region.imageOffset() + offset, region.address() + offset, bytes(to) - offset);
  }

  private static long bytes(int pages) {
    return (long) pages * NativeBuffer.PAGE_BYTES;
  }
}
