// SPDX-License-Identifier: Apache-2.0
package dev.ramet.files;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.file.FullFileSystem;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The engine's errors for a file system that is full: which one, how full, and what to do. */
public final class NoRoom {
  private NoRoom() {}

  /**
   * The error for something that did not fit.
   *
   * @param what what failed, in a few words
   * @param where what was written, or a directory above it
   */
  public static RametException error(String what, Path where, @Nullable Throwable cause) {
    FullFileSystem full = FullFileSystem.toldAt(where);
    return new RametException(
        ErrorCode.NO_SPACE,
        what + ": no space left on " + full.describe(),
        remedy(full.isAround()),
        cause);
  }

  /**
   * What to do about a file system that is full.
   *
   * @param around whether it is the one around the file that it is in
   */
  public static String remedy(boolean around) {
    return around
        ? "free space there or enlarge it; deleting snapshots or sandboxes frees some as well"
        : "delete snapshots or sandboxes that are not needed, or enlarge the file system";
  }
}
