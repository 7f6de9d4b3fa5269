// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import dev.ramet.linux.call.ProcessCalls;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/**
 * Page-aligned memory outside the Java heap: fresh anonymous memory, or a private mapping of a file
 * (mmap(2)). Several threads may use the memory if they order their accesses themselves; {@link
 * #close} must come after the last use, including that of every view.
 */
public final class NativeBuffer implements AutoCloseable {
  /** The size of a page in bytes, as pagemap counts it on x86-64 and (by default) arm64. */
  public static final int PAGE_BYTES = 4096;

  private static final String ANONYMOUS = "anonymous memory";

  /** Advice on the future use of memory (madvise(2)). */
  public enum Advice {
    /** Forget the pages: anonymous memory reads as zero again, a file mapping as the file. */
    DONTNEED(4),
    /** Use huge pages where the alignment allows it. */
    HUGEPAGE(14),
    /** Never use huge pages, whatever the host's default is. */
    NOHUGEPAGE(15),
    /** Make all pages present, writable, without changing them. Since Linux 5.14. */
    POPULATE_WRITE(23),
    /** Write the pages to swap, or drop them when they are unchanged pages of a file. */
    PAGEOUT(21);

    private final int number;

    Advice(int number) {
      this.number = number;
    }
  }

  private final long address;
  private final long sizeBytes;
  private final long marginBytes;
  private boolean closed;

  private NativeBuffer(long address, long sizeBytes, long marginBytes) {
    this.address = address;
    this.sizeBytes = sizeBytes;
    this.marginBytes = marginBytes;
  }

  /**
   * Zeroed anonymous memory; pages come into being when they are first touched.
   *
   * @param sizeBytes at least one; rounded up to whole pages
   */
  public static NativeBuffer allocate(long sizeBytes) throws LinuxException {
    return map(roundUp(sizeBytes), ProcessCalls.MAP_ANONYMOUS, -1, 0, ANONYMOUS);
  }

  /**
   * Allocates memory like {@link #allocate}, between inaccessible guard pages, so that the kernel
   * never merges it with an adjacent mapping. Properties of a whole mapping, such as that all of a
   * new one counts as soft-dirty (admin-guide/mm/soft-dirty.rst), then do not depend on anything
   * else that is mapped.
   *
   * @param sizeBytes at least one; rounded up to whole pages
   */
  public static NativeBuffer allocateApart(long sizeBytes) throws LinuxException {
    long size = roundUp(sizeBytes);
    int flags = ProcessCalls.MAP_PRIVATE | ProcessCalls.MAP_ANONYMOUS;
    long all = ProcessCalls.mmap(0, size + 2 * PAGE_BYTES, ProcessCalls.PROT_NONE, flags, -1, 0);
    if (all == ProcessCalls.MAP_FAILED) {
      throw new LinuxException("mmap", Native.getLastError(), ANONYMOUS);
    }
    NativeBuffer buffer = new NativeBuffer(all + PAGE_BYTES, size, PAGE_BYTES);
    boolean usable = false;
    try {
      buffer.replaceWithAnonymous(0, size);
      usable = true;
      return buffer;
    } finally {
      if (!usable) {
        buffer.close();
      }
    }
  }

  /**
   * A {@code MAP_PRIVATE} mapping: reads see the file, writes are seen by this process alone.
   *
   * @param file a readable file
   * @param offset where the mapping starts in the file, a multiple of the page size
   * @param sizeBytes at least one; rounded up to whole pages
   */
  public static NativeBuffer mapPrivate(Path file, long offset, long sizeBytes)
      throws LinuxException {
    int fd = ProcessCalls.open(file.toString(), ProcessCalls.O_RDONLY | ProcessCalls.O_CLOEXEC);
    if (fd < 0) {
      throw new LinuxException("open", Native.getLastError(), file.toString());
    }
    try {
      return map(roundUp(sizeBytes), 0, fd, offset, file.toString());
    } finally {
      ProcessCalls.close(fd);
    }
  }

  private static NativeBuffer map(long sizeBytes, int flags, int fd, long offset, String subject)
      throws LinuxException {
    int protection = ProcessCalls.PROT_READ | ProcessCalls.PROT_WRITE;
    long address =
        ProcessCalls.mmap(0, sizeBytes, protection, ProcessCalls.MAP_PRIVATE | flags, fd, offset);
    if (address == ProcessCalls.MAP_FAILED) {
      throw new LinuxException("mmap", Native.getLastError(), subject);
    }
    return new NativeBuffer(address, sizeBytes, 0);
  }

  private static long roundUp(long sizeBytes) {
    if (sizeBytes < 1) {
      throw new IllegalArgumentException("size must be positive: " + sizeBytes);
    }
    return (sizeBytes + PAGE_BYTES - 1) & -PAGE_BYTES;
  }

  /** Returns its start address in this process. */
  public long address() {
    return address;
  }

  /** Its size, a multiple of the page size. */
  public long sizeBytes() {
    return sizeBytes;
  }

  /** Makes every page present now, so that later use takes no page faults. */
  public NativeBuffer prefault() throws LinuxException {
    advise(Advice.POPULATE_WRITE, 0, sizeBytes);
    return this;
  }

  /** Tells the kernel about a part of the memory, given in whole pages. */
  public void advise(Advice advice, long offset, long lengthBytes) throws LinuxException {
    check(offset, lengthBytes);
    int result = ProcessCalls.madvise(address + offset, lengthBytes, advice.number);
    if (result != 0) {
      throw new LinuxException("madvise", Native.getLastError(), advice.name());
    }
  }

  /**
   * Replaces a part with fresh anonymous memory, as a hypervisor does with memory that a guest gave
   * back: the old content is gone and the part reads as zero.
   */
  public void replaceWithAnonymous(long offset, long lengthBytes) throws LinuxException {
    check(offset, lengthBytes);
    int flags = ProcessCalls.MAP_PRIVATE | ProcessCalls.MAP_ANONYMOUS | ProcessCalls.MAP_FIXED;
    int protection = ProcessCalls.PROT_READ | ProcessCalls.PROT_WRITE;
    long at = ProcessCalls.mmap(address + offset, lengthBytes, protection, flags, -1, 0);
    if (at == ProcessCalls.MAP_FAILED) {
      throw new LinuxException("mmap", Native.getLastError(), "over a part of a mapping");
    }
  }

  /** Returns a view of a part, in native byte order. It must not be used after {@link #close}. */
  public ByteBuffer view(long offset, int lengthBytes) {
    check(offset, lengthBytes);
    return new Pointer(address + offset)
        .getByteBuffer(0, lengthBytes)
        .order(ByteOrder.nativeOrder());
  }

  private void check(long offset, long lengthBytes) {
    if (closed) {
      throw new IllegalStateException("buffer is closed");
    }
    if (offset < 0 || lengthBytes < 0 || offset > sizeBytes - lengthBytes) {
      throw new IndexOutOfBoundsException(offset + "+" + lengthBytes + " of " + sizeBytes);
    }
  }

  /** Gives the memory back. Idempotent. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      // munmap fails only for arguments that mmap did not return.
      ProcessCalls.munmap(address - marginBytes, sizeBytes + 2 * marginBytes);
    }
  }
}
