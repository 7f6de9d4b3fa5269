// SPDX-License-Identifier: Apache-2.0
package dev.ramet.files;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Creates the directories that a host works in. */
public final class Directories {
  private Directories() {}

  /**
   * Creates a directory and its missing parents, unless it exists.
   *
   * @param what purpose of the directory, in a word or two
   * @throws RametException {@code INVALID_ARGUMENT} when a part of the path exists and is not a
   *     directory
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
