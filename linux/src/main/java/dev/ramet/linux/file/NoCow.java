// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.call.FileCalls;

/**
 * The flag of files whose data is overwritten in place, {@code chattr +C}: see ioctl_iflags(2) and
 * btrfs(5). New files inherit it from their directory.
 */
public final class NoCow {
  private static final long FS_IOC_GETFLAGS = 0x80086601L; // _IOR('f', 1, long), linux/fs.h
  private static final long FS_IOC_SETFLAGS = 0x40086602L; // _IOW('f', 2, long)
  private static final int FS_NOCOW_FL = 0x00800000;

  private NoCow() {}

  /** Returns whether a file has the flag. */
  public static boolean get(Fd file) throws LinuxException {
    try (Memory flags = new Memory(Long.BYTES)) {
      return (read(file, flags) & FS_NOCOW_FL) != 0;
    }
  }

  /** Gives it to an empty file or takes it away; others refuse. */
  public static void set(Fd file, boolean noCow) throws LinuxException {
    try (Memory flags = new Memory(Long.BYTES)) {
      int others = read(file, flags) & ~FS_NOCOW_FL;
      flags.setInt(0, noCow ? others | FS_NOCOW_FL : others);
      int result = FileCalls.ioctl(file.number(), FS_IOC_SETFLAGS, Pointer.nativeValue(flags));
      int errno = result < 0 ? Native.getLastError() : 0;
      if (result < 0) {
        throw file.failure("ioctl FS_IOC_SETFLAGS", errno);
      }
    }
  }

  /** The kernel reads and writes an int there, whatever the request's number says. */
  private static int read(Fd file, Memory flags) throws LinuxException {
    flags.clear();
    int result = FileCalls.ioctl(file.number(), FS_IOC_GETFLAGS, Pointer.nativeValue(flags));
    int errno = result < 0 ? Native.getLastError() : 0;
    if (result < 0) {
      throw file.failure("ioctl FS_IOC_GETFLAGS", errno);
    }
    return flags.getInt(0);
  }
}
