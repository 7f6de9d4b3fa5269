// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.call.Errnos;
import dev.ramet.linux.call.FileCalls;

/** Copies between files within the kernel, by copying bytes or by sharing blocks. */
public final class KernelCopy {
  // linux/fs.h: _IOW(0x94, 9, int) and _IOW(0x94, 13, struct file_clone_range).
  private static final long FICLONE = 0x40049409L;
  private static final long FICLONERANGE = 0x4020940DL;

  // struct file_clone_range, linux/fs.h.
  private static final int SOURCE_OFFSET = 8;
  private static final int SOURCE_LENGTH = 16;
  private static final int TARGET_OFFSET = 24;
  private static final int BYTES = 32;

  private KernelCopy() {}

  /**
   * Copies bytes; see copy_file_range(2). Holes are filled: a caller that wants to keep them copies
   * only what {@link Fd#seekData} finds.
   *
   * @return how many bytes; less than asked for when the source ends or the kernel gives up early
   */
  public static long copy(
      Fd source, long sourceOffset, Fd target, long targetOffset, long lengthBytes)
      throws LinuxException {
    long done = 0;
    try (Memory offsets = new Memory(2 * Long.BYTES)) {
      long in = Pointer.nativeValue(offsets);
      long out = in + Long.BYTES;
      while (done < lengthBytes) {
        offsets.setLong(0, sourceOffset + done);
        offsets.setLong(Long.BYTES, targetOffset + done);
        long n =
            FileCalls.copy_file_range(
                source.number(), in, target.number(), out, lengthBytes - done, 0);
        int errno = n < 0 ? Native.getLastError() : 0;
        if (n == 0) {
          break;
        } else if (n > 0) {
          done += n;
        } else if (errno != Errnos.EINTR) {
          throw target.failure("copy_file_range", errno);
        }
      }
    }
    return done;
  }

  /**
   * Makes a file a copy of another one that shares all its blocks (ioctl_ficlone(2)). Costs time in
   * the number of the source's extents and of its dirty pages, which are written first.
   */
  public static void share(Fd source, Fd target) throws LinuxException {
    int result = FileCalls.ioctl(target.number(), FICLONE, source.number());
    int errno = result < 0 ? Native.getLastError() : 0;
    if (result < 0) {
      throw target.failure("ioctl FICLONE", errno);
    }
  }

  /**
   * Makes a range of a file share the blocks of the same range of another file; holes become holes.
   * The kernel first writes back dirty data there and waits for direct writes to the source in
   * flight.
   *
   * @param offset a multiple of the file system's block size
   * @param lengthBytes a multiple of it too, or up to the end of the source
   * @throws LinuxException see ioctl_ficlonerange(2)
   */
  public static void shareRange(Fd source, Fd target, long offset, long lengthBytes)
      throws LinuxException {
    try (Memory range = new Memory(BYTES)) {
      range.setLong(0, source.number());
      range.setLong(SOURCE_OFFSET, offset);
      range.setLong(SOURCE_LENGTH, lengthBytes);
      range.setLong(TARGET_OFFSET, offset);
      int result = FileCalls.ioctl(target.number(), FICLONERANGE, Pointer.nativeValue(range));
      int errno = result < 0 ? Native.getLastError() : 0;
      if (result < 0) {
        throw target.failure("ioctl FICLONERANGE", errno);
      }
    }
  }
}
