// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory.page;

import static dev.ramet.linux.memory.PagemapScan.PRESENT;
import static dev.ramet.linux.memory.PagemapScan.WRITTEN;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.memory.PagemapScan;
import dev.ramet.spi.memory.MemoryRegion;
import java.util.BitSet;

/**
 * Interprets the scan of one region's pages.
 *
 * <p>When a page of a file mapping is discarded, the kernel keeps its protection as an entry that
 * looks swapped and not written, exactly like a page that was swapped out and not touched since.
 * The discarded page has changed, the swapped one has not. Where the page table entry shows the
 * swap area, which it does to privileged readers, the two can be told apart; otherwise the page is
 * copied. If the page was not held before, it can only be a discarded one, and then there was
 * nothing to discard.
 */
public final class WrittenPages implements PagemapScan.Sink {
  /**
   * Fields of a swapped page's entry: the number of the swap area, then the offset in it
   * (pagemap.rst).
   */
  private static final long AREA = 0x1f;

  private static final long PLACE = ((1L << 50) - 1) << 5;

  /** The kernel numbers real areas from 0 and its own kinds of entries down from 31. */
  private static final int REAL_AREAS = 16;

  private final MemoryRegion region;
  private final BitSet before;
  private final Scanner scanner;
  private final RegionDelta delta;
  private int at;

  public WrittenPages(MemoryRegion region, BitSet before, Scanner scanner, RegionDelta delta) {
    this.region = region;
    this.before = before;
    this.scanner = scanner;
    this.delta = delta;
  }

  public void scan(PagemapScan scan) throws LinuxException {
    boolean image = region.kind() == MemoryRegion.Kind.PRIVATE_IMAGE;
    scan.scan(region.address(), region.lengthBytes(), !image, this);
    int end = (int) (region.lengthBytes() / NativeBuffer.PAGE_BYTES);
    if (at < end) {
      delta.absent(at, end);
    }
  }

  @Override
  public void pages(long start, long end, long categories) {
    int from = (int) ((start - region.address()) / NativeBuffer.PAGE_BYTES);
    int to = (int) ((end - region.address()) / NativeBuffer.PAGE_BYTES);
    if (at < from) {
      delta.absent(at, from);
    }
    at = to;
    if ((categories & WRITTEN) != 0) {
      delta.changed(from, to);
    } else if ((categories & PRESENT) != 0 || region.kind() == MemoryRegion.Kind.ANONYMOUS) {
      delta.unwritten(from, to);
    } else {
      swapped(from, to);
    }
  }

  private void swapped(int from, int to) {
    int shift = (int) (region.imageOffset() / NativeBuffer.PAGE_BYTES);
    int page = from + shift;
    int end = to + shift;
    while ((page = before.nextSetBit(page)) >= 0 && page < end) {
      int stop = Math.min(end, before.nextClearBit(page));
      long offset = (long) (page - shift) * NativeBuffer.PAGE_BYTES;
      MemoryRegion part =
          new MemoryRegion(
              region.imageOffset() + offset,
              region.address() + offset,
              (long) (stop - page) * NativeBuffer.PAGE_BYTES,
              region.kind());
      int base = page - shift;
      scanner.read(part, (entries, pages, first) -> resolve(entries, pages, base + first));
      page = stop;
    }
  }

  private void resolve(long[] entries, int pages, int first) {
    for (int i = 0; i < pages; i++) {
      if (inSwap(entries[i])) {
        delta.unwritten(first + i, first + i + 1);
      } else {
        delta.changed(first + i, first + i + 1);
      }
    }
  }

  /**
   * Returns whether the entry names a place in a real swap area. Place 0 is every area's header.
   */
  static boolean inSwap(long entry) {
    return (entry & AREA) < REAL_AREAS && (entry & PLACE) != 0;
  }
}
