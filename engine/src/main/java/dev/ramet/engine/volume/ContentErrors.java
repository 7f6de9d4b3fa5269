// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volume;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;

/** Translates errors of the kernel for clients that work on the files of a volume. */
final class ContentErrors {
  static final int ENOTDIR = 20;
  private static final int EISDIR = 21;
  private static final int ENAMETOOLONG = 36;
  private static final int ENOTEMPTY = 39;
  private static final int ELOOP = 40;

  private ContentErrors() {}

  /** Returns the error for a system call that failed on the client's path. */
  static RametException translate(String path, LinuxException e) {
    return switch (e.errno()) {
      case LinuxException.ENOENT, ENOTDIR -> RametException.notFound("path", path);
      case LinuxException.EEXIST ->
          new RametException(ErrorCode.ALREADY_EXISTS, path + " already exists", "set force", null);
      case EISDIR -> RametException.invalid("path", path + " is a directory");
      case ELOOP ->
          RametException.invalid(
              "path",
              path + " is a symbolic link or leads through one; only guests follow symbolic links");
      case ENAMETOOLONG -> RametException.invalid("path", "is too long");
      case LinuxException.EINVAL ->
          RametException.invalid("path", path + " cannot be used in this way");
      case LinuxException.EFBIG ->
          new RametException(
              ErrorCode.TOO_LARGE, path + " has too many entries", "list fewer levels", null);
      case ENOTEMPTY ->
          new RametException(ErrorCode.CONFLICT, path + " is being changed", "try again", null);
      case LinuxException.ENOSPC, LinuxException.EDQUOT ->
          new RametException(
              ErrorCode.NO_SPACE,
              "no space left for " + path,
              "remove files from the volume, or enlarge the host's file system",
              e);
      default -> new RametException(ErrorCode.HOST_UNFIT, path + ": " + e.getMessage(), e);
    };
  }
}
