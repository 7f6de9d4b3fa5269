// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.copy;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.KernelCopy;
import dev.ramet.spi.storage.image.CopyProgress;
import java.nio.ByteBuffer;

/**
 * Copies data without the holes, inside the kernel where possible: copy_file_range(2) avoids the
 * way through user space, and on a file system with reflinks it shares the blocks. Works between
 * any two files, and stops when its thread is interrupted. Thread-safe.
 */
public final class SparseCopy implements CopyStrategy {
  private static final int BUFFER_BYTES = 1 << 20;

  /** The maximum the kernel is asked to copy at once: seconds at most on a slow disk. */
  private static final long PIECE_BYTES = 64 << 20;

  /** Makes one; it has no state. */
  public SparseCopy() {}

  @Override
  public void copy(Fd source, Fd target) throws LinuxException {
    copy(source, target, CopyProgress.NONE);
  }

  @Override
  public void copy(Fd source, Fd target, CopyProgress progress) throws LinuxException {
    long size = source.sizeBytes();
    target.truncate(size);
    long from = source.seekData(0);
    while (from >= 0 && from < size) {
      long end = Math.min(size, from + PIECE_BYTES);
      copyRange(source, target, from, end);
      CopyReporter.report(progress, end, size);
      from = source.seekData(end);
    }
    CopyReporter.report(progress, size, size);
  }

  /**
   * Copies the data in a range to the same place in a file that has a hole there.
   *
   * @return how many bytes were copied
   */
  public long copyRange(Fd source, Fd target, long from, long to) throws LinuxException {
    boolean inKernel = true;
    long copied = 0;
    long start = source.seekData(from);
    while (start >= 0 && start < to) {
      long hole = source.seekHole(start);
      if (hole < 0) {
        throw sourceChanged(source);
      }
      long length = Math.min(hole, to) - start;
      long done = inKernel ? inKernel(source, target, start, length) : 0;
      if (done < length) {
        // Refused once between these two files is refused always.
        inKernel = false;
        throughBuffer(source, target, start + done, length - done);
      }
      copied += length;
      start = source.seekData(start + length);
    }
    return copied;
  }

  private static long inKernel(Fd source, Fd target, long offset, long length)
      throws LinuxException {
    try {
      return KernelCopy.copy(source, offset, target, offset, length);
    } catch (LinuxException e) {
      if (isUnsupportedPair(e)) {
        return 0;
      }
      throw e;
    }
  }

  private static void throughBuffer(Fd source, Fd target, long offset, long length)
      throws LinuxException {
    ByteBuffer buffer = ByteBuffer.allocateDirect((int) Math.min(BUFFER_BYTES, length));
    long done = 0;
    while (done < length) {
      buffer.clear().limit((int) Math.min(buffer.capacity(), length - done));
      int read = source.pread(buffer, offset + done);
      if (read == 0) {
        throw sourceChanged(source);
      }
      target.pwrite(buffer.flip(), offset + done);
      done += read;
    }
  }

  /** Returns whether an error means "not between these two files" rather than "not now". */
  public static boolean isUnsupportedPair(LinuxException e) {
    return e.errno() == LinuxException.EXDEV
        || e.errno() == LinuxException.EINVAL
        || e.errno() == LinuxException.EOPNOTSUPP;
  }

  private static RametException sourceChanged(Fd source) {
    return new RametException(
        ErrorCode.CONFLICT, source + " became shorter while it was being copied");
  }
}
