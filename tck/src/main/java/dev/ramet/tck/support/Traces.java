// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.support;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;

/** Describes the content of a directory as text. */
public final class Traces {
  private Traces() {}

  public static String of(Path directory) {
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

  /** Returns the description with the files' content and modification times. */
  public static String withContent(Path directory) {
    try (Stream<Path> paths = Files.walk(directory)) {
      return paths
          .map(path -> directory.relativize(path) + describe(path) + content(path))
          .sorted()
          .collect(Collectors.joining("\n"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String content(Path path) {
    try {
      String time = " " + Files.getLastModifiedTime(path, LinkOption.NOFOLLOW_LINKS);
      if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
        return time;
      }
      CRC32 sum = new CRC32();
      try (InputStream in = new CheckedInputStream(Files.newInputStream(path), sum)) {
        in.transferTo(OutputStream.nullOutputStream());
      }
      return time + " " + sum.getValue();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String describe(Path path) {
    try {
      var attributes =
          Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      // The size of a directory depends on the file system.
      String size = attributes.isDirectory() ? "/" : " " + attributes.size();
      return size + " " + PosixFilePermissions.toString(attributes.permissions());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
