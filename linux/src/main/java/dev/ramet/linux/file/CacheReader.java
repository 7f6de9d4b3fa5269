// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

import com.sun.jna.Native;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.call.Errnos;
import dev.ramet.linux.call.FileCalls;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.nio.file.Path;

/**
 * Reads what the page cache has of a file or block device, without waiting for its device
 * (preadv2(2), {@code RWF_NOWAIT}; since Linux 4.14, where the file system can). The kernel may
 * begin to read what is not there, for who asks again. Not thread-safe.
 */
public final class CacheReader implements AutoCloseable {
  /** {@code RWF_NOWAIT} of linux/fs.h. */
  private static final int NOWAIT = 0x8;

  private final Fd file;
  private final NativeBuffer vector;
  private final NativeBuffer memory;
  private final LongBuffer iov;
  private final ByteBuffer view;
  private boolean supported = true;

  private CacheReader(Fd file, NativeBuffer vector, NativeBuffer memory) {
    this.file = file;
    this.vector = vector;
    this.memory = memory;
    this.iov = vector.view(0, 2 * Long.BYTES).asLongBuffer();
    this.view = memory.view(0, (int) memory.sizeBytes());
  }

  /**
   * Opens a file.
   *
   * @param mostBytes how much one call may read
   */
  public static CacheReader open(Path path, int mostBytes) throws LinuxException {
    Fd file = Fd.openRead(path);
    NativeBuffer vector = null;
    try {
      vector = NativeBuffer.allocate(2 * Long.BYTES);
      return new CacheReader(file, vector, NativeBuffer.allocate(mostBytes));
    } catch (LinuxException e) {
      if (vector != null) {
        vector.close();
      }
      file.close();
      throw e;
    }
  }

  /** What was read last, from the view's first byte; its position and limit are the caller's. */
  public ByteBuffer view() {
    return view;
  }

  /**
   * Reads from {@code offset} as far as the cache has it.
   *
   * @param lengthBytes at most as much as was said at first
   * @return how many bytes; none too where the file system cannot tell
   */
  public int read(long offset, int lengthBytes) throws LinuxException {
    if (lengthBytes < 0 || lengthBytes > memory.sizeBytes()) {
      throw new IndexOutOfBoundsException(lengthBytes);
    }
    if (!supported) {
      return 0;
    }
    iov.put(0, memory.address()).put(1, lengthBytes);
    long n = FileCalls.preadv2(file.number(), vector.address(), 1, offset, NOWAIT);
    int errno = n < 0 ? Native.getLastError() : 0;
    if (n >= 0) {
      return (int) n;
    }
    switch (errno) {
      case Errnos.EAGAIN, Errnos.EINTR -> {}
      case LinuxException.EOPNOTSUPP, LinuxException.EINVAL -> supported = false;
      default -> throw file.failure("preadv2", errno);
    }
    return 0;
  }

  /** Idempotent. */
  @Override
  public void close() {
    memory.close();
    vector.close();
    file.close();
  }
}
