// SPDX-License-Identifier: Apache-2.0
package com.example.tmpfs;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Translates the host's errors into those of the contract, each with a remedy. */
final class Failures {
  private static final long NO_ROOM_BYTES = 1 << 20;

  private Failures() {}

  /** Returns the error for a failure of the host. */
  static RametException of(String doing, Path root, IOException e) {
    String message = "cannot " + doing + ": " + e;
    if (e instanceof ClosedByInterruptException) {
      return new RametException(ErrorCode.CANCELLED, "stopped: " + doing, e);
    }
    if (full(root)) {
      return new RametException(
          ErrorCode.NO_SPACE,
          message,
          "delete snapshots, or make it larger: mount -o remount,size=8g " + root,
          e);
    }
    if (e instanceof NoSuchFileException) {
      return new RametException(ErrorCode.NOT_FOUND, message, e);
    }
    return new RametException(
        ErrorCode.HOST_UNFIT, message, "let the host's user read and write " + root, e);
  }

  /** Asks the file system whether it is full, because the text of an error is for people. */
  private static boolean full(Path root) {
    try {
      return Files.getFileStore(root).getUsableSpace() < NO_ROOM_BYTES;
    } catch (IOException e) {
      return false;
    }
  }

  static RametException closed() {
    return new RametException(ErrorCode.UNAVAILABLE, "the storage is closed");
  }

  static RametException taken(Object id) {
    return new RametException(ErrorCode.ALREADY_EXISTS, "the name is taken: " + id);
  }
}
