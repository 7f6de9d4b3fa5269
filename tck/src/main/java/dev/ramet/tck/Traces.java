// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What lies in a directory. */
final class Traces {
  private Traces() {}

  static String of(Path directory) {
    try (Stream<Path> paths = Files.walk(directory)) {
      return paths
          .filter(path -> !path.equals(directory))
          .map(path -> directory.relativize(path) + describe(path))
          .sorted()
          .collect(Collectors.joining("\n"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String describe(Path path) {
    try {
      var attributes =
          Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      // The size of a directory is the file system's own business.
      String size = attributes.isDirectory() ? "/" : " " + attributes.size();
      return size + " " + PosixFilePermissions.toString(attributes.permissions());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
