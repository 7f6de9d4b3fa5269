// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

import com.sun.jna.Native;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.call.ProcessCalls;
import java.nio.ByteBuffer;

/**
 * Tells which pages of a file or block device are in the page cache, by a mapping that is never
 * accessed (mincore(2)). The result holds for the moment only: the kernel may drop a page right
 * after. It is correct only for the owner of the file, for users who may write it, and for root; to
 * others the kernel reports every page as cached. Not thread-safe.
 */
public final class CachedPages implements AutoCloseable {
  private static final int PAGES_AT_ONCE = 16 * 1024;

  private final Fd file;
  private final long address;
  private final long sizeBytes;
  private final NativeBuffer vector;
  private final ByteBuffer bytes;
  private boolean closed;

  private CachedPages(Fd file, long address, long sizeBytes, NativeBuffer vector) {
    this.file = file;
    this.address = address;
    this.sizeBytes = sizeBytes;
    this.vector = vector;
    this.bytes = vector.view(0, PAGES_AT_ONCE);
  }

  /**
   * Maps a file.
   *
   * @param file open for reading; may be closed before this is
   * @param sizeBytes how much of it, at least one byte
   */
  public static CachedPages of(Fd file, long sizeBytes) throws LinuxException {
    NativeBuffer vector = NativeBuffer.allocate(PAGES_AT_ONCE);
    long address =
        ProcessCalls.mmap(
            0, sizeBytes, ProcessCalls.PROT_READ, ProcessCalls.MAP_SHARED, file.number(), 0);
    if (address == ProcessCalls.MAP_FAILED) {
      LinuxException failure = file.failure("mmap", Native.getLastError());
      vector.close();
      throw failure;
    }
    return new CachedPages(file, address, sizeBytes, vector);
  }

  /** Receives a run of pages that are all cached, or all not cached. */
  @FunctionalInterface
  public interface Receiver {
    /** Receives one run, in whole pages. */
    void receive(long offset, long lengthBytes, boolean cached) throws LinuxException;
  }

  /**
   * Reports for each page of a range whether it is in the cache, in runs by ascending offset.
   *
   * @param offset a multiple of the page size
   * @param lengthBytes a multiple of the page size
   */
  public void reportRuns(long offset, long lengthBytes, Receiver receiver) throws LinuxException {
    if (closed) {
      throw new IllegalStateException("closed: " + file);
    }
    if (offset < 0 || lengthBytes < 0 || offset > sizeBytes - lengthBytes) {
      throw new IndexOutOfBoundsException(offset + "+" + lengthBytes + " of " + sizeBytes);
    }
    long page = NativeBuffer.PAGE_BYTES;
    for (long done = 0; done < lengthBytes; done += PAGES_AT_ONCE * page) {
      int pages = (int) Math.min(PAGES_AT_ONCE, (lengthBytes - done) / page);
      int result = ProcessCalls.mincore(address + offset + done, pages * page, vector.address());
      if (result != 0) {
        throw file.failure("mincore", Native.getLastError());
      }
      int from = 0;
      for (int i = 1; i <= pages; i++) {
        if (i == pages || cached(i) != cached(from)) {
          receiver.receive(offset + done + from * page, (i - from) * page, cached(from));
          from = i;
        }
      }
    }
  }

  private boolean cached(int page) {
    return (bytes.get(page) & 1) != 0;
  }

  /** Returns how many bytes of a range are in the cache. */
  public long countBytes(long offset, long lengthBytes) throws LinuxException {
    long[] sum = {0};
    reportRuns(offset, lengthBytes, (at, length, cached) -> sum[0] += cached ? length : 0);
    return sum[0];
  }

  /** Takes the mapping away. Idempotent. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      ProcessCalls.munmap(address, sizeBytes);
      vector.close();
    }
  }
}
