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
 * Reads the cached part of a file or block device without waiting for the device (preadv2(2),
 * {@code RWF_NOWAIT}; since Linux 4.14, if the file system supports it). The kernel may begin to
 * read what is missing, so that a later call finds it. Not thread-safe.
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

  /**
   * Returns the bytes read last, from the view's first byte; its position and limit belong to the
   * caller.
   */
  public ByteBuffer view() {
    return view;
  }

  /**
   * Reads from {@code offset} as far as it is cached.
   *
   * @param lengthBytes at most the size given to the constructor
   * @return the number of bytes read; also 0 if the file system does not support it
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
