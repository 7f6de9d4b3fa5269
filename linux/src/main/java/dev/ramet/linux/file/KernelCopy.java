// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.call.FileCalls;

/** Shares a part of a file's blocks with another file, by {@code FICLONERANGE}. */
public final class CloneRange {
  private static final long FICLONERANGE = 0x4020940DL; // _IOW(0x94, 13, struct file_clone_range)

  // struct file_clone_range, linux/fs.h.
  private static final int SOURCE_OFFSET = 8;
  private static final int SOURCE_LENGTH = 16;
  private static final int TARGET_OFFSET = 24;
  private static final int BYTES = 32;

  private CloneRange() {}

  /**
   * Makes a range of a file share the blocks of the same range of another file; holes become holes.
   * The kernel first writes back dirty data there and waits for direct writes to the source in
   * flight.
   *
   * @param offset a multiple of the file system's block size
   * @param lengthBytes a multiple of it too, or up to the end of the source
   * @throws LinuxException see ioctl_ficlonerange(2)
   */
  public static void share(Fd source, Fd target, long offset, long lengthBytes)
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
