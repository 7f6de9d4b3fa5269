// SPDX-License-Identifier: Apache-2.0
package dev.ramet.files;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.file.FullFileSystem;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Creates the errors for a full file system: which one it is, how full, and what to do. */
public final class DiskFullErrors {
  private DiskFullErrors() {}

  /**
   * Returns the error for a write that did not fit.
   *
   * @param what the failed action, in a few words
   * @param where the path written to, or a directory above it
   */
  public static RametException error(String what, Path where, @Nullable Throwable cause) {
    FullFileSystem full = FullFileSystem.findAt(where);
    return new RametException(
        ErrorCode.NO_SPACE,
        what + ": no space left on " + full.describe(),
        remedy(full.isContaining()),
        cause);
  }

  /**
   * Returns what to do about a full file system.
   *
   * @param around whether the full file system is the outer one, which contains the image file of
   *     the file system in use
   */
  public static String remedy(boolean around) {
    return around
        ? "free space there or enlarge it; deleting snapshots or sandboxes also frees space"
        : "delete snapshots or sandboxes that you no longer need, or enlarge the file system";
  }
}
