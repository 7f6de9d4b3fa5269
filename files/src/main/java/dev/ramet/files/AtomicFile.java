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

/** Replaces files atomically: readers, also after a crash, see the old file or the new one. */
public final class AtomicFile {
  /** Readable and writable for the owner only. */
  public static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private AtomicFile() {}

  /**
   * Writes a file durably. There must be one writer at a time.
   *
   * @param mode permissions of the file
   */
  public static void write(Path file, byte[] bytes, FileAttribute<Set<PosixFilePermission>> mode)
      throws IOException {
    // There is one writer, so a leftover of a killed writer can be replaced.
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
      directory.force(true); // so that the old file does not come back after a power loss
    }
  }
}
