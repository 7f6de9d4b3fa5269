// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.FsInfo;
import java.nio.file.Path;

/** Translates failed system calls on an operator's files. */
public final class HostErrors {
  private HostErrors() {}

  /**
   * Returns the error for a failed system call.
   *
   * @param what the action that failed, as a sentence
   * @param where a path on the file system that it concerns
   */
  public static RametException translate(LinuxException e, String what, Path where) {
    return switch (e.errno()) {
      case LinuxException.ENOSPC, LinuxException.EDQUOT ->
          new RametException(
              ErrorCode.NO_SPACE,
              what + ": no space left on " + describe(where),
              "make room there, or use another directory",
              e);
      case LinuxException.EPERM, LinuxException.EACCES ->
          new RametException(
              ErrorCode.HOST_UNFIT,
              what + ": permission denied (" + e.getMessage() + ")",
              "let the host's user read and write there",
              e);
      case LinuxException.EROFS ->
          new RametException(
              ErrorCode.HOST_UNFIT,
              what + ": mounted read-only: " + describe(where),
              "mount it for writing, or use another directory",
              e);
      case LinuxException.ENOENT ->
          new RametException(ErrorCode.NOT_FOUND, what + ": gone (" + e.getMessage() + ")", e);
      case LinuxException.EEXIST ->
          new RametException(ErrorCode.ALREADY_EXISTS, what + ": it already exists", e);
      default ->
          new RametException(
              ErrorCode.HOST_UNFIT,
              what + ": " + e.getMessage() + " on " + describe(where),
              "look for the cause in dmesg",
              e);
    };
  }

  private static String describe(Path where) {
    try {
      FsInfo info = FsInfo.of(where);
      return "the file system of %s (%s, %d of %d MiB free)"
          .formatted(where, info.typeName(), info.freeBytes() >> 20, info.totalBytes() >> 20);
    } catch (LinuxException e) {
      return "the file system of " + where;
    }
  }
}
