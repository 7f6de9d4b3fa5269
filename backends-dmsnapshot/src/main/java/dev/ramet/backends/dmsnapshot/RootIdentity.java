// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.FileStat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;

/**
 * The prefix of the names of a root's devices. All roots on a host and all other programs share one
 * namespace in the kernel.
 */
final class RootIdentity {
  private RootIdentity() {}

  /**
   * Returns the prefix for the layers in a directory, made of a random number drawn for it and of
   * the directory's identity. Either alone is not enough: a copy of a root has the number of the
   * original, and a new file system may have the inode of one that is gone.
   */
  static String prefix(Path layers) throws LinuxException, IOException {
    Path file = file(layers);
    if (!Files.exists(file)) {
      Path unfinished = layers.resolve(".new-id");
      Files.deleteIfExists(unfinished);
      byte[] id = UUID.randomUUID().toString().getBytes(StandardCharsets.US_ASCII);
      try (Fd fd = Fd.createNew(unfinished, 0600)) {
        fd.pwrite(ByteBuffer.allocateDirect(id.length).put(id).flip(), 0);
        fd.fsync();
      }
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
      Fd.syncDirectory(layers);
    }
    String drawn = Files.readString(file, StandardCharsets.UTF_8);
    try (Fd directory = Fd.openDirectory(layers)) {
      FileStat stat = directory.stat();
      return "ramet-" + hash(drawn + "/" + stat.device() + "/" + stat.inode()) + "-";
    }
  }

  /** Returns the file that holds the number. */
  static Path file(Path layers) {
    return layers.resolve(".id");
  }

  private static String hash(String text) {
    UUID uuid = UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8));
    return "%016x".formatted(uuid.getMostSignificantBits());
  }
}
