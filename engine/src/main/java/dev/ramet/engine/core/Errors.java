// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.core;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/** Turns failures of the engine's own file operations into errors for the caller. */
final class Errors {
  // Manifests and logs need little; with less than this left, any failure is one of space.
  private static final long NO_ROOM_BYTES = 64 << 10;

  private Errors() {}

  /** An input-output failure below {@code root} while doing {@code what}. */
  static RametException io(String what, Path root, IOException e) {
    if (full(root)) {
      return new RametException(
          ErrorCode.NO_SPACE,
          what + ": the file system of " + root + " is full",
          "delete snapshots or sandboxes that are not needed, or enlarge it",
          e);
    }
    return new RametException(ErrorCode.HOST_UNFIT, what + ": " + e, e);
  }

  /** Whatever was thrown while doing {@code what}, as the one exception of the contract. */
  static RametException any(String what, Path root, Throwable thrown) {
    if (thrown instanceof RametException known) {
      return known;
    }
    if (thrown instanceof IOException e) {
      return io(what, root, e);
    }
    if (thrown instanceof UncheckedIOException && thrown.getCause() instanceof IOException e) {
      return io(what, root, e);
    }
    return new RametException(ErrorCode.INTERNAL, what + ": " + thrown, thrown);
  }

  private static boolean full(Path root) {
    try {
      FileStore store = Files.getFileStore(root);
      return store.getUsableSpace() < NO_ROOM_BYTES;
    } catch (IOException e) {
      return false;
    }
  }
}
