// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import dev.ramet.linux.NativeBuffer;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.PageRanges;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Turns what is known about a region's pages into ranges that a capture must write, relative to the
 * previous capture. No tracking of writes shows that a page was discarded: its new content is not
 * written but simply the image's, or zero. Therefore the pages that were held at the previous
 * capture are remembered, and one that is held no longer has changed.
 *
 * <p>A page is <em>held</em> when the process has content of its own for it: a private copy of the
 * image's page, or anonymous memory.
 */
final class Delta {
  private final MemoryRegion region;
  private final @Nullable BitSet before;
  private final PageRanges.Builder into;
  private final int firstPage;

  /**
   * @param before the pages of the image that were held at the previous capture, or null when
   *     nothing is known about it: then every held page is selected, and a page of anonymous memory
   *     that is not held is zero
   */
  Delta(MemoryRegion region, @Nullable BitSet before, PageRanges.Builder into) {
    this.region = region;
    this.before = before;
    this.into = into;
    this.firstPage = (int) (region.imageOffset() / NativeBuffer.PAGE_BYTES);
  }

  /** Held pages that changed, or about which there is a doubt; counted from the region's start. */
  void changed(int from, int to) {
    copy(from, to);
  }

  /** Held pages that were not written. If they were not held before, something is wrong: copied. */
  void unwritten(int from, int to) {
    BitSet held = before;
    if (held == null) {
      copy(from, to);
      return;
    }
    int at = firstPage + from;
    int end = firstPage + to;
    while ((at = held.nextClearBit(at)) < end) {
      int next = held.nextSetBit(at);
      int stop = next < 0 ? end : Math.min(end, next);
      copy(at - firstPage, stop - firstPage);
      at = stop;
    }
  }

  /** Pages that are not held. */
  void absent(int from, int to) {
    BitSet held = before;
    if (held == null) {
      if (region.kind() == MemoryRegion.Kind.ANONYMOUS) {
        zero(from, to);
      }
      return;
    }
    int at = firstPage + from;
    int end = firstPage + to;
    while ((at = held.nextSetBit(at)) >= 0 && at < end) {
      int stop = Math.min(end, held.nextClearBit(at));
      if (region.kind() == MemoryRegion.Kind.ANONYMOUS) {
        zero(at - firstPage, stop - firstPage);
      } else {
        copy(at - firstPage, stop - firstPage); // The restore image's page shows again.
      }
      at = stop;
    }
  }

  private void copy(int from, int to) {
    long offset = bytes(from);
    into.copy(region.imageOffset() + offset, region.address() + offset, bytes(to) - offset);
  }

  private void zero(int from, int to) {
    into.zero(region.imageOffset() + bytes(from), bytes(to) - bytes(from));
  }

  private static long bytes(int pages) {
    return (long) pages * NativeBuffer.PAGE_BYTES;
  }
}
