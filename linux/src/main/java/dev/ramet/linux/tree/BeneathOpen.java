// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.tree;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.call.Errnos;
import dev.ramet.linux.call.TreeCalls;
import dev.ramet.linux.file.Fd;

/** Opens names that cannot lead out of a directory (openat2(2)). */
final class BeneathOpen {
  // linux/openat2.h
  private static final long RESOLVE_NO_XDEV = 0x01;
  private static final long RESOLVE_NO_MAGICLINKS = 0x02;
  private static final long RESOLVE_NO_SYMLINKS = 0x04;
  private static final long RESOLVE_BENEATH = 0x08;
  private static final long RESOLVE =
      RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH;
  private static final int HOW_BYTES = 24;

  private BeneathOpen() {}

  /**
   * Opens a name below a directory.
   *
   * @param name with a zero at its end
   * @param mode permission bits of a file that is made, less the process's umask
   */
  static Fd open(Fd directory, byte[] name, int flags, int mode) throws LinuxException {
    try (Memory how = new Memory(HOW_BYTES)) {
      how.setLong(0, Integer.toUnsignedLong(flags));
      how.setLong(Long.BYTES, mode);
      // With O_PATH and O_NOFOLLOW a link at the end is opened itself, says openat2(2).
      how.setLong(2 * Long.BYTES, RESOLVE);
      while (true) {
        long fd =
            TreeCalls.syscall(
                TreeCalls.NR_OPENAT2,
                directory.number(),
                name,
                Pointer.nativeValue(how),
                HOW_BYTES);
        int errno = fd < 0 ? Native.getLastError() : 0;
        if (fd >= 0) {
          return Fd.of((int) fd, "a file of a tree");
        }
        // EAGAIN: something was renamed on the way; openat2(2) asks to try again.
        if (errno != Errnos.EINTR && errno != Errnos.EAGAIN) {
          throw directory.failure("openat2", errno);
        }
      }
    }
  }
}
