// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory.page;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.memory.Pagemap;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.PageRanges;
import java.nio.LongBuffer;

/**
 * Applies a {@link SelectionRule} to one process's page table. All resources of a scan are
 * allocated when it is opened, because scans happen while a machine is paused. Not thread-safe.
 */
public final class Scanner implements AutoCloseable {
  /**
   * Entries a read: the buffer stays in the processor's second-level cache between the kernel
   * filling it and the rule reading it.
   */
  private static final int PAGES = 8 * 1024;

  private final Pagemap pagemap;
  private final NativeBuffer buffer;
  private final LongBuffer longs;
  private final long[] entries = new long[PAGES];

  private Scanner(Pagemap pagemap, NativeBuffer buffer) {
    this.pagemap = pagemap;
    this.buffer = buffer;
    this.longs = buffer.view(0, PAGES * Pagemap.ENTRY_BYTES).asLongBuffer();
  }

  /**
   * Opens a process's page table.
   *
   * @throws RametException {@code HYPERVISOR_FAILED} when the process is gone, {@code HOST_UNFIT}
   *     when it may not be looked at
   */
  public static Scanner open(long pid) {
    try {
      Pagemap pagemap = Pagemap.open(pid);
      try {
        return new Scanner(
            pagemap, NativeBuffer.allocate((long) PAGES * Pagemap.ENTRY_BYTES).prefault());
      } catch (LinuxException e) {
        pagemap.close();
        throw e;
      }
    } catch (LinuxException e) {
      throw failure(pid, e);
    }
  }

  /** Receives page table entries. */
  @FunctionalInterface
  public interface Reader {
    /**
     * Entries of consecutive pages.
     *
     * @param entries one a page, from index 0, valid during the call
     * @param pages how many
     * @param first the first one's number in the region
     */
    void entries(long[] entries, int pages, int first);
  }

  /** Adds the pages of one region that the rule selects. */
  public void scan(MemoryRegion region, SelectionRule rule, PageRanges.Builder into) {
    read(
        region,
        (read, pages, first) -> {
          long done = (long) first * NativeBuffer.PAGE_BYTES;
          rule.select(read, pages, region.imageOffset() + done, region.address() + done, into);
        });
  }

  /** Reads the entries of one region, piece by piece. */
  public void read(MemoryRegion region, Reader reader) {
    long done = 0;
    while (done < region.lengthBytes()) {
      long left = (region.lengthBytes() - done) / NativeBuffer.PAGE_BYTES;
      int pages = (int) Math.min(PAGES, left);
      try {
        pagemap.read(region.address() + done, pages, buffer);
      } catch (LinuxException e) {
        throw failure(pagemap.pid(), e);
      }
      // Copied in one go: a native access per entry costs more than its evaluation.
      longs.get(0, entries, 0, pages);
      reader.entries(entries, pages, (int) (done / NativeBuffer.PAGE_BYTES));
      done += (long) pages * NativeBuffer.PAGE_BYTES;
    }
  }

  /**
   * Fails if the process has ended. A dead address space never comes back, so if this succeeds, the
   * data read before was valid.
   */
  public void checkAlive(long address) {
    try {
      pagemap.read(address, 1, buffer);
    } catch (LinuxException e) {
      throw failure(pagemap.pid(), e);
    }
  }

  /** The process it was opened on. */
  public long pid() {
    return pagemap.pid();
  }

  public static RametException failure(long pid, LinuxException e) {
    return switch (e.errno()) {
      case LinuxException.ENOENT, LinuxException.ESRCH ->
          new RametException(
              ErrorCode.HYPERVISOR_FAILED,
              "hypervisor process " + pid + " has ended",
              "roll the sandbox back to a snapshot, or create another from one; vmm.log in its"
                  + " directory has what the hypervisor said",
              e);
      case LinuxException.EACCES, LinuxException.EPERM ->
          new RametException(
              ErrorCode.HOST_UNFIT,
              "page table of process " + pid + " may not be read",
              "run Ramet as the user that owns the hypervisor's process, or with CAP_SYS_PTRACE",
              e);
      default ->
          new RametException(
              ErrorCode.HOST_UNFIT, "page table of process " + pid + " cannot be read", e);
    };
  }

  @Override
  public void close() {
    pagemap.close();
    buffer.close();
  }
}
