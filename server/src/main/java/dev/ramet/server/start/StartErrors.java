// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.net.BindException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports why a host cannot start: one line for the reason and one for the remedy. Only a defect of
 * the program gets its stack trace.
 */
final class StartErrors {
  private static final Logger LOG = LoggerFactory.getLogger(Main.class);

  private StartErrors() {}

  /**
   * Logs a failure.
   *
   * @return the exit status of its kind
   */
  static int report(Throwable failure) {
    RametException known = translate(failure);
    if (known == null) {
      LOG.error("cannot start, by a defect in Ramet", failure);
      return ErrorCode.INTERNAL.exitStatus();
    }
    LOG.error("cannot start: {}", known.getMessage());
    if (known.remedy() != null) {
      LOG.error("remedy: {}", known.remedy());
    }
    return known.code().exitStatus();
  }

  /** Returns the error for people, or null when the failure is not one that can be expected. */
  static @Nullable RametException translate(Throwable failure) {
    IOException io = null;
    for (Throwable t = failure; t != null; t = t.getCause()) {
      if (t instanceof RametException known) {
        return known;
      }
      io = t instanceof IOException one ? one : io;
    }
    if (io instanceof BindException) {
      return new RametException(
          ErrorCode.CONFLICT,
          "cannot listen on ramet.bind and ramet.port: " + io.getMessage(),
          "stop the program that listens there (ss -ltnp shows it), or set ramet.port",
          failure);
    }
    if (io instanceof FileSystemException file) {
      boolean denied = io instanceof AccessDeniedException;
      String reason = file.getReason();
      return new RametException(
          ErrorCode.HOST_UNFIT,
          file.getFile()
              + ": "
              + (denied ? "permission denied" : reason != null ? reason : file.toString()),
          denied
              ? "give this user access to it, or run Ramet as a user who has, such as root"
              : "correct it, or choose another path in the settings",
          failure);
    }
    return io == null
        ? null
        : new RametException(ErrorCode.HOST_UNFIT, String.valueOf(io.getMessage()), failure);
  }

  /**
   * Checks that a data root can be written to, or made if it is not there yet.
   *
   * @throws RametException {@code INVALID_ARGUMENT} when something else is in its way, {@code
   *     HOST_UNFIT} when this user may not write there
   */
  static void checkPlace(Path root) {
    Path above = root.toAbsolutePath().normalize();
    while (above != null && !Files.exists(above)) {
      above = above.getParent();
    }
    if (above != null && !Files.isDirectory(above)) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          "data root: " + root + " is not possible, because " + above + " is not a directory",
          "move it away, or use another data root",
          null);
    }
    if (above != null && !Files.isWritable(above)) {
      throw new RametException(
          ErrorCode.HOST_UNFIT,
          "data root: " + root + ": this user may not write to " + above,
          "give this user the directory, run Ramet as its owner or root, or set ramet.data-root",
          null);
    }
  }
}
