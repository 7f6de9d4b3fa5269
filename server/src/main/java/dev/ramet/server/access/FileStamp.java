// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.access;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** Detects whether a file that is only ever replaced atomically has changed. Thread-safe. */
final class FileStamp {
  private final Path path;

  FileStamp(Path path) {
    this.path = path;
  }

  /**
   * Returns a value that changes when the file is replaced; null while there is no file.
   *
   * @throws java.io.UncheckedIOException when the file's attributes cannot be read
   */
  @Nullable Object now() {
    try {
      BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class);
      return now.fileKey() + "@" + now.lastModifiedTime() + "+" + now.size();
    } catch (NoSuchFileException e) {
      return null;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
