// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.support;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.DiskFullErrors;
import dev.ramet.files.DiskFullException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** Turns failures of the engine's own file operations into errors for the caller. */
public final class Errors {
  private Errors() {}

  /** Returns the error for an I/O failure below {@code root} while doing {@code what}. */
  public static RametException ioError(String what, Path root, IOException e) {
    return ioError(what, root, 0, e);
  }

  /**
   * Returns the error for an I/O failure whose partial output was already removed, so that the
   * space it needed is free again.
   *
   * @param needBytes how many bytes were to be written
   */
  public static RametException ioError(String what, Path root, long needBytes, IOException e) {
    if (e instanceof DiskFullException || DiskFullException.isFull(root, needBytes)) {
      return DiskFullErrors.error(what, root, e);
    }
    return new RametException(ErrorCode.HOST_UNFIT, what + ": " + e, e);
  }

  /**
   * Returns {@code NO_SPACE} if the file system behind a failure of a machine or its guest is full,
   * and {@code e} otherwise. The guest only learns that a write failed, and reports even less.
   */
  public static RametException diskFullOr(String what, Path root, RametException e) {
    boolean said = e.code() == ErrorCode.NO_SPACE || e.code() == ErrorCode.CANCELLED;
    return said || !DiskFullException.isFull(root, 0) ? e : DiskFullErrors.error(what, root, e);
  }

  /** Refuses to do {@code what} on a file system that is full. */
  public static void requireRoom(String what, Path root) {
    if (DiskFullException.isFull(root, 0)) {
      throw DiskFullErrors.error(what, root, null);
    }
  }

  /** Converts anything thrown while doing {@code what} into a {@link RametException}. */
  public static RametException translate(String what, Path root, Throwable thrown) {
    if (thrown instanceof RametException known) {
      return known;
    }
    if (thrown instanceof IOException e) {
      return ioError(what, root, e);
    }
    if (thrown instanceof UncheckedIOException && thrown.getCause() instanceof IOException e) {
      return ioError(what, root, e);
    }
    return new RametException(ErrorCode.INTERNAL, what + ": " + thrown, thrown);
  }
}
