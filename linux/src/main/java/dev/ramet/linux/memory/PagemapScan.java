// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.memory;

import com.sun.jna.Native;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.call.Errnos;
import dev.ramet.linux.call.FileCalls;
import dev.ramet.linux.call.ProcessCalls;
import java.nio.LongBuffer;

/**
 * Finds pages of a process by their state, many at a time, and can write-protect the pages it finds
 * in the same step (ioctl {@code PAGEMAP_SCAN}, admin-guide/mm/pagemap.rst, since Linux 6.7). The
 * memory must be registered with a {@link Userfaultfd}. The handle stays with the address space it
 * was opened on. Not thread-safe.
 */
public final class PagemapScan implements AutoCloseable {
  /** Not write-protected: written since it was, or never protected. */
  public static final long WRITTEN = 2;

  /** The page belongs to a file or to shared memory; the huge zero page has this flag as well. */
  public static final long FILE = 4;

  /** In memory. */
  public static final long PRESENT = 8;

  /** In swap, on the move, or absent with a note that it was protected. */
  public static final long SWAPPED = 16;

  private static final long PAGEMAP_SCAN = 0xC0606610L;
  private static final long WP_MATCHING = 1;
  private static final long CHECK_WPASYNC = 2;

  /** struct pm_scan_arg of linux/fs.h: twelve numbers. */
  private static final int ARGUMENT_LONGS = 12;

  private static final int CATEGORIES = 8;

  private static final long HERE = PRESENT | SWAPPED;

  /** struct page_region: start, end, categories. */
  private static final int REGION_LONGS = 3;

  private static final int REGIONS = 8 * 1024;
  private static final int PIECE = 1024;

  /** Receives the results of a scan. */
  @FunctionalInterface
  public interface Sink {
    /**
     * Some pages that are alike, behind those of the call before.
     *
     * @param start the first page's address
     * @param end the address behind the last page
     * @param categories which of the bits of this class they have
     */
    void pages(long start, long end, long categories);
  }

  private final long pid;
  private final NativeBuffer buffer;
  private final LongBuffer longs;
  private final long[] regions = new long[PIECE * REGION_LONGS];
  private int fd;

  private PagemapScan(long pid, int fd, NativeBuffer buffer) {
    this.pid = pid;
    this.fd = fd;
    this.buffer = buffer;
    this.longs = buffer.view(0, (int) buffer.sizeBytes()).asLongBuffer();
  }

  /**
   * Opens the page table of a process.
   *
   * @throws LinuxException as {@link Pagemap#open}
   */
  public static PagemapScan open(long pid) throws LinuxException {
    long bytes = (ARGUMENT_LONGS + (long) REGIONS * REGION_LONGS) * Long.BYTES;
    NativeBuffer buffer = NativeBuffer.allocate(bytes).prefault();
    String path = "/proc/" + pid + "/pagemap";
    int fd = ProcessCalls.open(path, ProcessCalls.O_RDONLY | ProcessCalls.O_CLOEXEC);
    int errno = fd < 0 ? Native.getLastError() : 0;
    if (fd < 0) {
      buffer.close();
      throw new LinuxException("open", errno, path);
    }
    return new PagemapScan(pid, fd, buffer);
  }

  /**
   * Reports the pages that are present or swapped. Costs most where it must look whether a page
   * belongs to a file, which it does for each.
   *
   * @param address the first page's address
   * @param lengthBytes whole pages
   * @param files whether to report pages of files too
   * @throws LinuxException EPERM when a part is not registered, ESRCH when the process has ended,
   *     ENOTTY before Linux 6.7
   */
  public void scan(long address, long lengthBytes, boolean files, Sink sink) throws LinuxException {
    // The first word inverts: pages without the category are asked for.
    long file = files ? 0 : FILE;
    long reported = WRITTEN | FILE | PRESENT | SWAPPED;
    run(address, lengthBytes, CHECK_WPASYNC, new long[] {file, file, HERE, reported}, sink);
  }

  /**
   * Reports the pages that are present or swapped, of any memory, registered or not, without their
   * categories.
   *
   * @param files whether to report pages of files too
   * @throws LinuxException ESRCH if the process has ended, ENOTTY before Linux 6.7
   */
  public void find(long address, long lengthBytes, boolean files, Sink sink) throws LinuxException {
    long file = files ? 0 : FILE;
    run(address, lengthBytes, 0, new long[] {file, file, HERE, 0}, sink);
  }

  /**
   * Write-protects the pages that are present or swapped, until they are written.
   *
   * @throws LinuxException as {@link #scan}
   */
  public void protect(long address, long lengthBytes) throws LinuxException {
    // A buffer for results is needed: without one, the kernel marks absent pages as well.
    run(
        address,
        lengthBytes,
        CHECK_WPASYNC | WP_MATCHING,
        new long[] {0, WRITTEN, HERE, WRITTEN},
        (start, end, categories) -> {});
  }

  /**
   * Reports the pages that are present or swapped and not protected, and protects each of them in
   * the same step: a page written afterwards is reported by the next call, whatever runs meanwhile.
   * Reports categories, which requires a look at each present page.
   *
   * @throws LinuxException as {@link #scan}
   */
  public void findAndProtect(long address, long lengthBytes, Sink sink) throws LinuxException {
    run(
        address,
        lengthBytes,
        CHECK_WPASYNC | WP_MATCHING,
        new long[] {0, WRITTEN, HERE, WRITTEN | FILE | PRESENT | SWAPPED},
        sink);
  }

  /**
   * Takes written pages like {@link #findAndProtect}, of memory whose pages were all protected
   * before, including absent ones ({@link Userfaultfd#protect}), without reporting their
   * categories: the kernel then looks only at the page table entries. An absent page that is not
   * protected is reported, too.
   *
   * @throws LinuxException as {@link #scan}
   */
  public void takeWritten(long address, long lengthBytes, Sink sink) throws LinuxException {
    run(
        address,
        lengthBytes,
        CHECK_WPASYNC | WP_MATCHING,
        new long[] {0, WRITTEN, 0, WRITTEN},
        sink);
  }

  /**
   * Scans.
   *
   * @param categories which to invert, which must all be there, of which one must be there, and
   *     which to report
   */
  private void run(long address, long lengthBytes, long flags, long[] categories, Sink sink)
      throws LinuxException {
    long end = address + lengthBytes;
    long vector = buffer.address() + (long) ARGUMENT_LONGS * Long.BYTES;
    long at = address;
    while (at < end) {
      long size = (long) ARGUMENT_LONGS * Long.BYTES;
      longs.put(0, new long[] {size, flags, at, end, 0, vector, REGIONS, 0});
      longs.put(CATEGORIES, categories);
      int found = FileCalls.ioctl(fd, PAGEMAP_SCAN, buffer.address());
      int errno = found < 0 ? Native.getLastError() : 0;
      if (found < 0) {
        if (errno == Errnos.EINTR) {
          continue;
        }
        throw new LinuxException("ioctl PAGEMAP_SCAN", errno, "process " + pid);
      }
      // Many at once: looking at native memory for each costs more than all else that is done.
      for (int told = 0; told < found; told += PIECE) {
        int piece = Math.min(PIECE, found - told) * REGION_LONGS;
        longs.get(ARGUMENT_LONGS + told * REGION_LONGS, regions, 0, piece);
        for (int i = 0; i < piece; i += REGION_LONGS) {
          sink.pages(regions[i], regions[i + 1], regions[i + 2]);
        }
      }
      // walk_end would say where to go on, but where the kernel filled its own small buffer on the
      // way and then came to the end, it says where that buffer was last full.
      at = found < REGIONS ? end : longs.get(ARGUMENT_LONGS + (REGIONS - 1) * REGION_LONGS + 1);
    }
  }

  /** Closes the handle. Idempotent. */
  @Override
  public void close() {
    if (fd >= 0) {
      ProcessCalls.close(fd);
      fd = -1;
      buffer.close();
    }
  }
}
