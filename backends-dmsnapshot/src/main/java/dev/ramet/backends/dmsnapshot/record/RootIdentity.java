// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot.record;

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
 * The prefix of a root's device names. The kernel has a single name space for the devices of all
 * roots and of all other programs on a host.
 */
public final class RootIdentity {
  private RootIdentity() {}

  /**
   * Returns the prefix for the layers in a directory, derived from a random id stored there and
   * from the directory's device and inode. Neither alone is enough: a copy of a root has the
   * original's id, and a new file system may reuse the inode of one that is gone.
   */
  public static String prefix(Path layers) throws LinuxException, IOException {
    Path file = identityFile(layers);
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

  /** Returns the file with the random id. */
  public static Path identityFile(Path layers) {
    return layers.resolve(".id");
  }

  private static String hash(String text) {
    UUID uuid = UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8));
    return "%016x".formatted(uuid.getMostSignificantBits());
  }
}
