// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.call.FileCalls;

/**
 * Sets the minimum that XFS allocates when a shared block of a file is written, and reserves for a
 * while even if the rest is never written: {@code fsx_cowextsize} of ioctl_xfs_fsgetxattr(2). Its
 * default of 128 KiB suits a disk that is written again and again around the same places.
 */
public final class CopyOnWriteExtent {
  // struct fsxattr of linux/fs.h: xflags, extsize, nextents, projid, cowextsize, 8 bytes of
  // padding.
  private static final int FSXATTR_BYTES = 28;
  private static final int FSX_XFLAGS = 0;
  private static final int FSX_COWEXTSIZE = 16;
  private static final int FS_XFLAG_COWEXTSIZE = 0x0001_0000;
  private static final long FS_IOC_FSGETXATTR = 0x801c_581fL;
  private static final long FS_IOC_FSSETXATTR = 0x401c_5820L;

  private CopyOnWriteExtent() {}

  /**
   * Sets it for a file.
   *
   * @param bytes a multiple of the file system's block size
   * @throws LinuxException ENOTTY or EOPNOTSUPP on file systems that have no such setting
   */
  public static void set(Fd file, long bytes) throws LinuxException {
    try (Memory attributes = new Memory(FSXATTR_BYTES)) {
      long address = Pointer.nativeValue(attributes);
      int got = FileCalls.ioctl(file.number(), FS_IOC_FSGETXATTR, address);
      int getErrno = got < 0 ? Native.getLastError() : 0;
      if (got < 0) {
        throw file.failure("ioctl FS_IOC_FSGETXATTR", getErrno);
      }
      attributes.setInt(FSX_XFLAGS, attributes.getInt(FSX_XFLAGS) | FS_XFLAG_COWEXTSIZE);
      attributes.setInt(FSX_COWEXTSIZE, Math.toIntExact(bytes));
      int set = FileCalls.ioctl(file.number(), FS_IOC_FSSETXATTR, address);
      int setErrno = set < 0 ? Native.getLastError() : 0;
      if (set < 0) {
        throw file.failure("ioctl FS_IOC_FSSETXATTR", setErrno);
      }
    }
  }
}
