// SPDX-License-Identifier: Apache-2.0
package dev.ramet.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files that are replaced as a whole: readers and crashes see the old one or the new one. */
public final class AtomicFile {
  /** Readable and writable for the owner, nothing for others. */
  public static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private AtomicFile() {}

  /**
   * Writes a file, which is durable afterwards. There must be one writer at a time.
   *
   * @param mode who may read it
   */
  public static void write(Path file, byte[] bytes, FileAttribute<Set<PosixFilePermission>> mode)
      throws IOException {
    // There is one writer, so what a killed one left can be replaced.
    Path next = file.resolveSibling(file.getFileName() + ".new");
    Files.deleteIfExists(next);
    try {
      Files.createFile(next, OWNER_ONLY);
      Files.write(next, bytes, StandardOpenOption.WRITE, StandardOpenOption.SYNC);
      Files.setPosixFilePermissions(next, mode.value());
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      Files.deleteIfExists(next);
      throw e;
    }
    try (FileChannel directory = FileChannel.open(file.toAbsolutePath().getParent())) {
      directory.force(true); // what was replaced must not come back after a power loss
    }
  }
}
