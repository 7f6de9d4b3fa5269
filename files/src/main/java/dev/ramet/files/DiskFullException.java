// SPDX-License-Identifier: Apache-2.0
package dev.ramet.files;

import dev.ramet.linux.file.FullFileSystem;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A write failed on a full file system. This must be detected at the point of failure: undoing the
 * write frees space, and then the cause can no longer be found.
 */
public final class DiskFullException extends IOException {
  private static final long serialVersionUID = 1;

  private DiskFullException(IOException cause) {
    super(cause.toString(), cause);
  }

  /**
   * Returns a {@link DiskFullException} if there is no space left at a path, otherwise the failure
   * itself.
   */
  public static IOException orElse(Path where, IOException failure) {
    return isFull(where, 0) ? new DiskFullException(failure) : failure;
  }

  /**
   * Returns whether a file system, or the outer one that contains its image file, is full. Any
   * failure is then taken for a lack of space.
   *
   * @param where a path on it
   * @param needBytes how much was to be written
   */
  public static boolean isFull(Path where, long needBytes) {
    return FullFileSystem.find(where, needBytes) != null;
  }
}
