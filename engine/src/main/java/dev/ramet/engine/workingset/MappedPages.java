// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.workingset;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.memory.Pagemap;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryRegion;
import java.nio.LongBuffer;

/**
 * Finds the working set of a running machine: the pages of its image that the hypervisor's page
 * table maps and for which the image holds data. The kernel also maps cached pages around a fault,
 * up to sixteen for one that was touched, and these are included. Reading the page table changes
 * nothing and delays nobody, not even a concurrent capture.
 */
public final class MappedPages {
  private static final int PAGES_AT_ONCE = 16 * 1024;
  private static final long PAGE = WorkingSet.PAGE;

  private final Fd image;
  private final WorkingSet.Builder found;
  private long dataFrom;
  private long dataTo;

  private MappedPages(Fd image, WorkingSet.Builder found) {
    this.image = image;
    this.found = found;
  }

  /**
   * Scans a machine's memory.
   *
   * @param snapshotId the snapshot it was restored from
   * @param memory the layout of its memory; regions that do not map the image are left out
   * @param image the image, open for reading
   * @throws LinuxException ESRCH when the process has ended
   */
  public static WorkingSet scan(String snapshotId, GuestMemory memory, Fd image)
      throws LinuxException {
    WorkingSet.Builder found = new WorkingSet.Builder(snapshotId, memory.imageSizeBytes());
    try (Pagemap pagemap = Pagemap.open(memory.pid());
        NativeBuffer buffer = NativeBuffer.allocate((long) PAGES_AT_ONCE * Pagemap.ENTRY_BYTES)) {
      MappedPages scan = new MappedPages(image, found);
      for (MemoryRegion region : memory.regions()) {
        boolean mapsImage = region.kind() == MemoryRegion.Kind.PRIVATE_IMAGE;
        if (mapsImage && !scan.read(region, pagemap, buffer)) {
          break;
        }
      }
    }
    return found.build();
  }

  /** Adds one region; returns whether there is room for more. */
  private boolean read(MemoryRegion region, Pagemap pagemap, NativeBuffer buffer)
      throws LinuxException {
    LongBuffer entries = buffer.view(0, PAGES_AT_ONCE * Pagemap.ENTRY_BYTES).asLongBuffer();
    long done = 0;
    while (done < region.lengthBytes()) {
      int pages = (int) Math.min(PAGES_AT_ONCE, (region.lengthBytes() - done) / PAGE);
      pagemap.read(region.address() + done, pages, buffer);
      int page = 0;
      while (page < pages) {
        int from = page;
        boolean mapped = isMapped(entries.get(page));
        while (page < pages && isMapped(entries.get(page)) == mapped) {
          page++;
        }
        long offset = region.imageOffset() + done + from * PAGE;
        if (mapped && !addData(offset, offset + (page - from) * PAGE)) {
          return false;
        }
      }
      done += pages * PAGE;
    }
    return true;
  }

  private static boolean isMapped(long entry) {
    return (entry & (Pagemap.PRESENT | Pagemap.SWAPPED)) != 0;
  }

  /** Adds the parts of a range for which the image holds data; holes need no reading. */
  private boolean addData(long from, long to) throws LinuxException {
    long at = from;
    while (at < to) {
      if (at >= dataTo) {
        long next = image.seekData(at);
        long hole = next < 0 ? -1 : image.seekHole(next);
        dataFrom = next < 0 ? Long.MAX_VALUE : next / PAGE * PAGE;
        dataTo = hole < 0 ? Long.MAX_VALUE : (hole + PAGE - 1) / PAGE * PAGE;
      }
      long start = Math.max(at, dataFrom);
      long end = Math.min(to, dataTo);
      if (start < end && !found.add(start, end - start)) {
        return false;
      }
      at = end;
    }
    return true;
  }
}
