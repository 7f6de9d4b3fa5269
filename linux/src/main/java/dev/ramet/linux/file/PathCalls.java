// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.call.CPath;
import dev.ramet.linux.call.Errnos;
import dev.ramet.linux.call.FileCalls;
import java.nio.file.Path;
import java.util.Set;

/**
 * System calls on names rather than on open files. The JDK's equivalents hide the errno, which
 * tells a full file system from a missing permission.
 */
public final class PathCalls {
  private static final int AT_FDCWD = -100;
  private static final int RENAME_NOREPLACE = 1;
  private static final int AT_SYMLINK_NOFOLLOW = 0x100;
  private static final int STATX_BASIC_STATS = 0x7ff;

  private PathCalls() {}

  /** Returns the attributes of a path; a symbolic link is not followed. */
  public static FileStat stat(Path path) throws LinuxException {
    try (Memory statx = new Memory(FileStat.STATX_BYTES)) {
      int result =
          FileCalls.statx(
              AT_FDCWD,
              CPath.encode(path),
              AT_SYMLINK_NOFOLLOW,
              STATX_BASIC_STATS,
              Pointer.nativeValue(statx));
      int errno = result < 0 ? Native.getLastError() : 0;
      if (result < 0) {
        throw new LinuxException("statx", errno, path.toString());
      }
      return FileStat.read(statx);
    }
  }

  /** Makes a directory; {@code EEXIST} when anything has that name. */
  public static void makeDirectory(Path path, int mode) throws LinuxException {
    int result = FileCalls.mkdir(CPath.encode(path), mode);
    int errno = result < 0 ? Native.getLastError() : 0;
    if (result < 0) {
      throw new LinuxException("mkdir", errno, path.toString());
    }
  }

  /** Removes a directory if it exists and is empty. Returns whether it is gone. */
  public static boolean removeDirectory(Path path) throws LinuxException {
    int result = FileCalls.rmdir(CPath.encode(path));
    int errno = result < 0 ? Native.getLastError() : 0;
    if (result == 0 || errno == LinuxException.ENOENT) {
      return true;
    }
    // rmdir(2): POSIX lets a file system answer either for a directory with entries.
    if (errno == Errnos.ENOTEMPTY || errno == LinuxException.EEXIST) {
      return false;
    }
    throw new LinuxException("rmdir", errno, path.toString());
  }

  /** Removes a name that is no directory. Returns whether it was there. */
  public static boolean unlink(Path path) throws LinuxException {
    int result = FileCalls.unlink(CPath.encode(path));
    int errno = result < 0 ? Native.getLastError() : 0;
    if (result < 0 && errno != LinuxException.ENOENT) {
      throw new LinuxException("unlink", errno, path.toString());
    }
    return result == 0;
  }

  /**
   * Renames within one file system and replaces nothing: {@code EEXIST} when the new name is taken.
   * {@code EINVAL} on the few file systems that cannot promise that.
   */
  public static void renameToNew(Path from, Path to) throws LinuxException {
    int result =
        FileCalls.renameat2(
            AT_FDCWD, CPath.encode(from), AT_FDCWD, CPath.encode(to), RENAME_NOREPLACE);
    int errno = result < 0 ? Native.getLastError() : 0;
    if (result < 0) {
      throw new LinuxException("renameat2", errno, to.toString());
    }
  }

  /**
   * Writes everything that is cached for the file system of a path to its device; see syncfs(2).
   */
  public static void syncFileSystem(Path path) throws LinuxException {
    try (Fd file = Fd.open(path, Set.of(), 0)) {
      int result = FileCalls.syncfs(file.number());
      int errno = result < 0 ? Native.getLastError() : 0;
      if (result < 0) {
        throw new LinuxException("syncfs", errno, path.toString());
      }
    }
  }

  /**
   * Unmounts the file system mounted at a directory.
   *
   * @return false when somebody still uses it
   */
  public static boolean unmount(Path mountPoint) throws LinuxException {
    int result = FileCalls.umount2(CPath.encode(mountPoint), 0);
    int errno = result < 0 ? Native.getLastError() : 0;
    if (result < 0 && errno != Errnos.EBUSY) {
      throw new LinuxException("umount2", errno, mountPoint.toString());
    }
    return result == 0;
  }
}
