// SPDX-License-Identifier: Apache-2.0
package dev.ramet.files;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Makes the directories that a host works in. */
public final class Directories {
  private Directories() {}

  /**
   * Makes a directory, and those above it, unless it is there.
   *
   * @param what what it is for, in a word or two
   * @throws RametException {@code INVALID_ARGUMENT} when something else has a name on the way
   */
  public static void make(String what, Path directory) throws IOException {
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      for (Path path = directory; path != null; path = path.getParent()) {
        if (!Files.isDirectory(path) && Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
          throw new RametException(
              ErrorCode.INVALID_ARGUMENT,
              what + ": " + path + " is not a directory",
              "move it away, or use another data root",
              e);
        }
      }
      throw e;
    }
  }
}
