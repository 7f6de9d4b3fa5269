// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.support;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.NoRoom;
import dev.ramet.files.NoRoomException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** Turns failures of the engine's own file operations into errors for the caller. */
public final class Errors {
  private Errors() {}

  /** An input-output failure below {@code root} while doing {@code what}. */
  public static RametException io(String what, Path root, IOException e) {
    return io(what, root, 0, e);
  }

  /**
   * The same of a failure that has given back the room it had taken.
   *
   * @param needBytes how much was to be written
   */
  public static RametException io(String what, Path root, long needBytes, IOException e) {
    if (e instanceof NoRoomException || NoRoomException.isFull(root, needBytes)) {
      return NoRoom.error(what, root, e);
    }
    return new RametException(ErrorCode.HOST_UNFIT, what + ": " + e, e);
  }

  /**
   * A failure of a machine or its guest, or that of the full file system behind it: a guest is only
   * told that a write failed, and who asks it hears less.
   */
  public static RametException orFull(String what, Path root, RametException e) {
    boolean said = e.code() == ErrorCode.NO_SPACE || e.code() == ErrorCode.CANCELLED;
    return said || !NoRoomException.isFull(root, 0) ? e : NoRoom.error(what, root, e);
  }

  /** Refuses to go on with {@code what} on a file system that is full. */
  public static void requireRoom(String what, Path root) {
    if (NoRoomException.isFull(root, 0)) {
      throw NoRoom.error(what, root, null);
    }
  }

  /** Whatever was thrown while doing {@code what}, as the one exception of the contract. */
  public static RametException any(String what, Path root, Throwable thrown) {
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
}
