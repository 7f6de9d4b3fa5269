// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

import com.sun.jna.Native;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.call.CPath;
import dev.ramet.linux.call.FileCalls;
import java.nio.file.Path;
import java.util.Set;

/**
 * Creates files that have no name until they are complete: a crash, or closing the handle, leaves
 * nothing of an unfinished one. See {@code O_TMPFILE} in open(2).
 */
public final class UnnamedFile {
  private static final int AT_FDCWD = -100;
  private static final int AT_SYMLINK_FOLLOW = 0x400;

  private UnnamedFile() {}

  /**
   * Makes one on the file system of a directory and opens it for reading and writing.
   *
   * @throws LinuxException {@code EOPNOTSUPP} on file systems that have no such files
   */
  public static Fd create(Path directory, int mode) throws LinuxException {
    return Fd.open(directory, Set.of(OpenFlag.READ, OpenFlag.WRITE, OpenFlag.UNNAMED), mode);
  }

  /**
   * Gives it a name, which must be free: {@code EEXIST} otherwise. Needs {@code /proc}; the way
   * without asks for a capability (linkat(2)).
   */
  public static void link(Fd file, Path name) throws LinuxException {
    byte[] handle = CPath.encode(Path.of("/proc/self/fd/" + file.number()));
    int result =
        FileCalls.linkat(AT_FDCWD, handle, AT_FDCWD, CPath.encode(name), AT_SYMLINK_FOLLOW);
    int errno = result < 0 ? Native.getLastError() : 0;
    if (result < 0) {
      throw new LinuxException("linkat", errno, name.toString());
    }
  }
}
