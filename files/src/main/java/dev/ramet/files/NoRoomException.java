// SPDX-License-Identifier: Apache-2.0
package dev.ramet.files;

import dev.ramet.linux.file.FullFileSystem;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A write failed on a full file system. Found out where it failed: what is undone afterwards gives
 * room back, and then the cause cannot be told any more.
 */
public final class NoRoomException extends IOException {
  private static final long serialVersionUID = 1;

  private NoRoomException(IOException cause) {
    super(cause.toString(), cause);
  }

  /** The failure itself, or this one if there is no room left where it happened. */
  public static IOException orElse(Path where, IOException failure) {
    return isFull(where, 0) ? new NoRoomException(failure) : failure;
  }

  /**
   * Whether a file system is full, or the one around the file that it is in: then any failure is
   * one of space.
   *
   * @param where a path on it
   * @param needBytes how much was to be written
   */
  public static boolean isFull(Path where, long needBytes) {
    return FullFileSystem.find(where, needBytes) != null;
  }
}
