// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux;

import com.sun.jna.Native;
import java.nio.file.Path;

/**
 * A memory image open for writing: positioned writes from native memory, and holes. A failure keeps
 * its errno, which {@link java.nio.channels.FileChannel} does not tell: a full disk must be told
 * apart. Thread-safe, except that {@link #close} comes last.
 */
public final class ImageFile implements AutoCloseable {
  private final String path;
  private int fd;

  private ImageFile(String path, int fd) {
    this.path = path;
    this.fd = fd;
  }

  /** Opens an existing file or block device for reading and writing. */
  public static ImageFile open(Path file) throws LinuxException {
    String path = file.toString();
    int fd = ProcessCalls.open(path, ProcessCalls.O_RDWR | ProcessCalls.O_CLOEXEC);
    if (fd < 0) {
      throw new LinuxException("open", Native.getLastError(), path);
    }
    return new ImageFile(path, fd);
  }

  /** The size of the file or device. */
  public long sizeBytes() throws LinuxException {
    long end = ProcessCalls.lseek(fd, 0, ProcessCalls.SEEK_END);
    if (end < 0) {
      throw new LinuxException("lseek", Native.getLastError(), path);
    }
    return end;
  }

  /**
   * Writes all bytes (pwrite(2)).
   *
   * @param from the memory to write
   * @param bufferOffset where in that memory
   * @param lengthBytes how many bytes
   * @param fileOffset where in the file
   * @throws LinuxException ENOSPC or EDQUOT when there is no room; a part may have been written
   */
  public void write(NativeBuffer from, long bufferOffset, long lengthBytes, long fileOffset)
      throws LinuxException {
    if (bufferOffset < 0 || bufferOffset > from.sizeBytes() - lengthBytes) {
      throw new IndexOutOfBoundsException(
          bufferOffset + "+" + lengthBytes + " of " + from.sizeBytes());
    }
    long done = 0;
    while (done < lengthBytes) {
      long memory = from.address() + bufferOffset + done;
      long n = ProcessCalls.pwrite(fd, memory, lengthBytes - done, fileOffset + done);
      int errno = n < 0 ? Native.getLastError() : 0;
      if (n > 0) {
        done += n;
      } else if (n == 0) {
        // pwrite answers 0 only for a length of 0; a device that does so takes no more bytes.
        throw new LinuxException("pwrite", LinuxException.ENOSPC, path);
      } else if (errno != ProcessCalls.EINTR) {
        throw new LinuxException("pwrite", errno, path);
      }
    }
  }

  /**
   * Makes a part read as zeros and gives its blocks back (fallocate(2), FALLOC_FL_PUNCH_HOLE).
   *
   * @throws LinuxException EOPNOTSUPP when the file system or device cannot do that
   */
  public void punchHole(long fileOffset, long lengthBytes) throws LinuxException {
    int mode = ProcessCalls.FALLOC_FL_PUNCH_HOLE | ProcessCalls.FALLOC_FL_KEEP_SIZE;
    int errno;
    do {
      int result = ProcessCalls.fallocate(fd, mode, fileOffset, lengthBytes);
      errno = result == 0 ? 0 : Native.getLastError();
    } while (errno == ProcessCalls.EINTR);
    if (errno != 0) {
      throw new LinuxException("fallocate", errno, path);
    }
  }

  /** Closes the file. What was written is not synced. Idempotent. */
  @Override
  public void close() {
    if (fd >= 0) {
      ProcessCalls.close(fd);
      fd = -1;
    }
  }
}
