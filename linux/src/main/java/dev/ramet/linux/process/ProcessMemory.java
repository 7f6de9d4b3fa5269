// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.process;

import com.sun.jna.Native;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.call.ProcessCalls;
import java.nio.LongBuffer;

/**
 * Reads scattered pieces of another process's memory into one contiguous buffer, many pieces per
 * system call (process_vm_readv(2)). Pieces are queued with {@link #add} and read, in that order,
 * by {@link #read}. Not thread-safe.
 */
public final class ProcessMemory implements AutoCloseable {
  /** IOV_MAX of linux/uio.h: the kernel refuses longer vectors. */
  private static final int IOV_MAX = 1024;

  /** struct iovec: a pointer and a size. */
  private static final int IOVEC_LONGS = 2;

  private final long pid;
  private final NativeBuffer vectors;
  private final LongBuffer iov;
  private int queued;
  private long queuedBytes;

  /** Memory of process {@code pid}; nothing is checked before the first read. */
  public ProcessMemory(long pid) throws LinuxException {
    this.pid = pid;
    int longs = (IOV_MAX + 1) * IOVEC_LONGS;
    this.vectors = NativeBuffer.allocate((long) longs * Long.BYTES).prefault();
    this.iov = vectors.view(0, longs * Long.BYTES).asLongBuffer();
  }

  /** Returns whether {@link #read} must come before the next {@link #add}. */
  public boolean full() {
    return queued == IOV_MAX;
  }

  /** Returns the length of all queued pieces. */
  public long queuedBytes() {
    return queuedBytes;
  }

  /** Queues one piece. A piece that continues the previous one is joined to it. */
  public void add(long address, long lengthBytes) {
    int last = (queued - 1) * IOVEC_LONGS;
    if (queued > 0 && iov.get(last) + iov.get(last + 1) == address) {
      iov.put(last + 1, iov.get(last + 1) + lengthBytes);
    } else {
      if (full()) {
        throw new IllegalStateException("queue is full");
      }
      iov.put(queued * IOVEC_LONGS, address);
      iov.put(queued * IOVEC_LONGS + 1, lengthBytes);
      queued++;
    }
    queuedBytes += lengthBytes;
  }

  /**
   * Reads every queued piece, one behind the other, and empties the queue, also when it fails.
   *
   * @param into receives the bytes
   * @param offset where in the buffer
   * @throws LinuxException ESRCH when the process has ended, EFAULT when a piece is not mapped,
   *     EPERM when this process may not trace that one
   */
  public void read(NativeBuffer into, long offset) throws LinuxException {
    if (offset < 0 || offset > into.sizeBytes() - queuedBytes) {
      throw new IndexOutOfBoundsException(offset + "+" + queuedBytes + " of " + into.sizeBytes());
    }
    try {
      long at = into.address() + offset;
      int first = 0;
      long left = queuedBytes;
      int local = IOV_MAX * IOVEC_LONGS;
      while (left > 0) {
        iov.put(local, at);
        iov.put(local + 1, left);
        long n =
            ProcessCalls.process_vm_readv(
                (int) pid,
                vectors.address() + (long) local * Long.BYTES,
                1,
                vectors.address() + (long) first * IOVEC_LONGS * Long.BYTES,
                queued - first,
                0);
        int errno = n < 0 ? Native.getLastError() : 0;
        if (n < 0 && errno != ProcessCalls.EINTR) {
          throw new LinuxException("process_vm_readv", errno, "process " + pid);
        }
        if (n == 0) {
          // Nothing was read and no error was reported: treat it as absent memory, because trying
          // again would never end.
          throw new LinuxException("process_vm_readv", LinuxException.EFAULT, "process " + pid);
        }
        if (n > 0) {
          at += n;
          left -= n;
          first = skip(first, n);
        }
      }
    } finally {
      queued = 0;
      queuedBytes = 0;
    }
  }

  /**
   * A transfer ends early at a missing page and at 2 GiB; the next call starts there and either
   * continues or reports the reason.
   */
  private int skip(int first, long bytes) {
    int i = first;
    long rest = bytes;
    while (rest > 0 && rest >= iov.get(i * IOVEC_LONGS + 1)) {
      rest -= iov.get(i * IOVEC_LONGS + 1);
      i++;
    }
    if (rest > 0) {
      iov.put(i * IOVEC_LONGS, iov.get(i * IOVEC_LONGS) + rest);
      iov.put(i * IOVEC_LONGS + 1, iov.get(i * IOVEC_LONGS + 1) - rest);
    }
    return i;
  }

  /** Releases its buffers. Idempotent. */
  @Override
  public void close() {
    vectors.close();
  }
}
