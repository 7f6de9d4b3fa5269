// SPDX-License-Identifier: Apache-2.0
package dev.ramet.files;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Lists, deletes and syncs directory trees. */
public final class FileTrees {
  private FileTrees() {}

  /** Returns the entries of a directory, sorted; empty when it does not exist. */
  public static List<Path> children(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.sorted().toList();
    } catch (NoSuchFileException absent) {
      return List.of();
    }
  }

  /**
   * Deletes a directory with its contents, without following links. Succeeds if it does not exist.
   */
  public static void delete(Path directory) {
    try {
      Files.walkFileTree(
          directory,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) {
              // Unpacked packages contain read-only directories. If this fails, deleting fails
              // below.
              if (!Files.isWritable(dir)) {
                boolean unused = dir.toFile().setWritable(true);
              }
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              Files.deleteIfExists(file);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure)
                throws IOException {
              if (failure instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
              }
              throw failure;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path dir, @Nullable IOException failure)
                throws IOException {
              if (failure != null) {
                throw failure;
              }
              Files.deleteIfExists(dir);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (NoSuchFileException absent) {
      // Another process deleted it first.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Makes a directory's entries, or a file's content, survive a power loss. */
  public static void sync(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Syncs every file and directory of a small tree. */
  public static void syncAll(Path directory) throws IOException {
    syncAll(directory, Set.of());
  }

  /**
   * Syncs every file and directory of a small tree, except the content of some files.
   *
   * @param hints names of files that may be damaged after a power loss
   */
  public static void syncAll(Path directory, Set<String> hints) throws IOException {
    for (Path entry : children(directory)) {
      if (Files.isDirectory(entry)) {
        syncAll(entry, hints);
      } else if (!hints.contains(String.valueOf(entry.getFileName()))) {
        sync(entry);
      }
    }
    sync(directory);
  }
}
