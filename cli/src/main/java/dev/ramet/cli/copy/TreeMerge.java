// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.copy;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.Set;

/** Moves an unpacked tree to its place, into an existing folder too. */
final class TreeMerge {
  private TreeMerge() {}

  /**
   * Moves a tree. Each file is replaced atomically; directories are merged; symbolic links in the
   * target are replaced and never followed.
   *
   * @return the directories of the target that were there already
   */
  static Set<Path> move(Path from, Path to) throws IOException {
    Set<Path> merged = new HashSet<>();
    move(from, to, merged);
    return merged;
  }

  private static void move(Path from, Path to, Set<Path> merged) throws IOException {
    if (!Files.isDirectory(from, LinkOption.NOFOLLOW_LINKS)) {
      if (Files.isDirectory(to, LinkOption.NOFOLLOW_LINKS)) {
        throw conflict(to, "is a folder here and a file in the sandbox");
      }
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      return;
    }
    if (!Files.exists(to, LinkOption.NOFOLLOW_LINKS)) {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
      return;
    }
    if (!Files.isDirectory(to, LinkOption.NOFOLLOW_LINKS)) {
      throw conflict(to, "is no folder here and a folder in the sandbox");
    }
    merged.add(to);
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(from)) {
      for (Path entry : entries) {
        move(entry, to.resolve(String.valueOf(entry.getFileName())), merged);
      }
    }
  }

  private static RametException conflict(Path place, String what) {
    return new RametException(
        ErrorCode.CONFLICT, place + " " + what, "delete it, or choose another target", null);
  }

  /** Deletes a tree if it exists, without following links. */
  static void delete(Path tree) throws IOException {
    if (!Files.exists(tree, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    Files.walkFileTree(
        tree,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
              throws IOException {
            // A copied folder may forbid its owner to change it.
            folder.toFile().setWritable(true);
            folder.toFile().setExecutable(true);
            folder.toFile().setReadable(true);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(
              Path folder, @org.jspecify.annotations.Nullable IOException failure)
              throws IOException {
            Files.delete(folder);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
