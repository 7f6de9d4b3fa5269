// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.disk;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.FsInfo;
import dev.ramet.linux.file.FullFileSystem;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Translates failed system calls into the errors of a storage backend. */
public final class HostErrors {
  private HostErrors() {}

  /**
   * Translates a failed call.
   *
   * @param doing the operation, to complete the sentence "cannot …"
   * @param where a path on the file system it was done on
   */
  public static RametException translate(LinuxException e, String doing, Path where) {
    String what = "cannot " + doing;
    return switch (e.errno()) {
      case LinuxException.ENOSPC -> diskFull(what, FullFileSystem.findAt(where), e);
      case LinuxException.EDQUOT ->
          new RametException(
              ErrorCode.NO_SPACE,
              what + ": the disk quota is used up on " + describe(where),
              "delete snapshots or sandboxes, or raise the quota",
              e);
      case LinuxException.EPERM, LinuxException.EACCES ->
          new RametException(
              ErrorCode.HOST_UNFIT,
              what + ": permission denied (" + e.getMessage() + ")",
              "run as the owner of " + where + " or as root",
              e);
      case LinuxException.EROFS ->
          new RametException(
              ErrorCode.HOST_UNFIT,
              what + ": mounted read-only: " + describe(where),
              "mount it for writing; if the kernel made it read-only, look for the cause in dmesg",
              e);
      case LinuxException.EFBIG ->
          new RametException(
              ErrorCode.INVALID_ARGUMENT,
              what + ": larger than a file may be on " + describe(where),
              e);
      case LinuxException.ENOENT ->
          new RametException(
              ErrorCode.NOT_FOUND, what + ": the file is gone (" + e.getMessage() + ")", e);
      case LinuxException.EEXIST ->
          new RametException(
              ErrorCode.ALREADY_EXISTS, what + ": the name is taken (" + e.getMessage() + ")", e);
      default -> {
        FullFileSystem full = findFullFileSystem(e, where);
        yield full != null
            ? diskFull(what, full, e)
            : new RametException(
                ErrorCode.HOST_UNFIT,
                what + ": " + e.getMessage() + " on " + describe(where),
                "look for the cause in dmesg",
                e);
      }
    };
  }

  private static RametException diskFull(String what, FullFileSystem full, LinuxException e) {
    return new RametException(
        ErrorCode.NO_SPACE,
        what + ": no space left on " + full.describe(),
        full.isContaining()
            ? "free space there or enlarge it; deleting snapshots or sandboxes also frees space"
            : "delete snapshots or sandboxes, or enlarge the file system",
        e);
  }

  /** A device whose file cannot grow fails like a broken device. */
  public static @Nullable FullFileSystem findFullFileSystem(LinuxException e, Path where) {
    FullFileSystem full = e.errno() == LinuxException.EIO ? FullFileSystem.find(where, 0) : null;
    return full != null && full.isContaining() ? full : null;
  }

  /** Returns the file system of a path, for people. */
  public static String describe(Path where) {
    return FsInfo.describe(where);
  }
}
