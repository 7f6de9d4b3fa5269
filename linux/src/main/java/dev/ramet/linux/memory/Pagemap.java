// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.memory;

import com.sun.jna.Native;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.call.ProcessCalls;

/**
 * The page table of a process as {@code /proc/<pid>/pagemap} shows it: one 64-bit entry per virtual
 * page (kernel documentation, admin-guide/mm/pagemap.rst). The bits below are readable by the
 * process's own user without privileges; page frame numbers are not and are not offered.
 *
 * <p>The handle stays with the address space it was opened on, even if the process id is used again
 * later. Not thread-safe.
 */
public final class Pagemap implements AutoCloseable {
  /** The page is in memory. */
  public static final long PRESENT = 1L << 63;

  /** The page is in swap, or on its way from one place in memory to another. */
  public static final long SWAPPED = 1L << 62;

  /**
   * The page belongs to a file or to shared memory. Clear for a private copy, and clear for the
   * shared page of zeros, but <em>set</em> for the shared <em>huge</em> page of zeros: in anonymous
   * memory this bit says nothing.
   */
  public static final long FILE_OR_SHARED = 1L << 61;

  /** Written since the bits were last cleared, on kernels that track this. */
  public static final long SOFT_DIRTY = 1L << 55;

  /** The size of an entry. */
  public static final int ENTRY_BYTES = Long.BYTES;

  private final long pid;
  private int fd;

  private Pagemap(long pid, int fd) {
    this.pid = pid;
    this.fd = fd;
  }

  /**
   * Opens the page table of a process.
   *
   * @throws LinuxException ENOENT when there is no such process, EACCES when it belongs to somebody
   *     else and this process lacks CAP_SYS_PTRACE
   */
  public static Pagemap open(long pid) throws LinuxException {
    String path = "/proc/" + pid + "/pagemap";
    int fd = ProcessCalls.open(path, ProcessCalls.O_RDONLY | ProcessCalls.O_CLOEXEC);
    if (fd < 0) {
      throw new LinuxException("open", Native.getLastError(), path);
    }
    return new Pagemap(pid, fd);
  }

  /** The process it was opened on. */
  public long pid() {
    return pid;
  }

  /**
   * Reads the entries of consecutive pages to the start of a buffer.
   *
   * @param address the first page's address
   * @param pages how many; {@code pages * 8} bytes must fit into the buffer
   * @param into receives the entries as native 64-bit numbers
   * @throws LinuxException ESRCH when the process has ended
   */
  public void read(long address, int pages, NativeBuffer into) throws LinuxException {
    long wanted = (long) pages * ENTRY_BYTES;
    if (wanted > into.sizeBytes()) {
      throw new IndexOutOfBoundsException(pages + " entries into " + into.sizeBytes() + " bytes");
    }
    long from = Long.divideUnsigned(address, NativeBuffer.PAGE_BYTES) * ENTRY_BYTES;
    long done = 0;
    while (done < wanted) {
      long n = ProcessCalls.pread(fd, into.address() + done, wanted - done, from + done);
      int errno = n < 0 ? Native.getLastError() : 0;
      if (n > 0) {
        done += n;
      } else if (n == 0) {
        // End of file: the address space is gone, or the address is outside of it.
        throw new LinuxException("pread", LinuxException.ESRCH, "/proc/" + pid + "/pagemap");
      } else if (errno != ProcessCalls.EINTR) {
        throw new LinuxException("pread", errno, "/proc/" + pid + "/pagemap");
      }
    }
  }

  /** Closes the handle. Idempotent. */
  @Override
  public void close() {
    if (fd >= 0) {
      ProcessCalls.close(fd);
      fd = -1;
    }
  }
}
