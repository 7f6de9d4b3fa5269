// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volume;

import dev.ramet.engine.support.Ids;
import dev.ramet.engine.volumes.VolumeContent;
import dev.ramet.engine.volumes.VolumeEntry;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.tree.TreeAttributes;
import dev.ramet.linux.tree.TreeEntry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Receives a file for a volume where guests do not see it, and renames it into place. Used once.
 */
final class Upload {
  private static final int FILE_MODE = 0x1A4; // rw-r--r--

  private final OpenVolume volume;
  private final byte[] name;
  private final String path;

  /**
   * Creates an upload.
   *
   * @param name its path in the volume
   * @param path the path as the client wrote it
   */
  Upload(OpenVolume volume, byte[] name, String path) {
    this.volume = volume;
    this.name = name;
    this.path = path;
  }

  /**
   * Receives the file. It takes owner and permissions of the file it replaces unless they are
   * given.
   *
   * @param overwrite whether it may replace a file
   * @param parents whether to create missing parent directories
   */
  VolumeEntry receive(
      InputStream content, VolumeContent.Attributes attributes, boolean overwrite, boolean parents)
      throws LinuxException, IOException {
    byte[] temporary = Ids.newId('u').getBytes(StandardCharsets.US_ASCII);
    // Check before anything is received.
    TreeEntry old = findExisting(overwrite, parents);
    try (Fd file = volume.uploads().createFile(temporary, FILE_MODE)) {
      copy(content, file);
      int mode = old == null ? FILE_MODE : old.permissions();
      file.chmod(TreeAttributes.KEPT_MODE & Objects.requireNonNullElse(attributes.mode(), mode));
      GuestChanges.setOwner(
          file,
          Objects.requireNonNullElse(attributes.uid(), old == null ? 0 : old.uid()),
          Objects.requireNonNullElse(attributes.gid(), old == null ? 0 : old.gid()));
      // After a crash, the name must not refer to incomplete data in place of the old file.
      file.fsync();
      synchronized (volume.lock()) {
        if (parents) {
          DirectoryMaker.makeParents(volume.files(), name);
        }
        volume.uploads().rename(temporary, volume.files(), name, overwrite);
      }
      return EntryLister.describe(volume.files(), name, TreeAttributes.of(file));
    } finally {
      TreeRemoval.remove(volume.uploads(), temporary);
    }
  }

  /** Returns the file to replace, or null if there is none. */
  private @Nullable TreeEntry findExisting(boolean overwrite, boolean parents)
      throws LinuxException {
    try {
      TreeEntry old = volume.files().stat(name);
      if (!overwrite) {
        throw new RametException(
            ErrorCode.ALREADY_EXISTS, path + " already exists", "set force", null);
      }
      if (!old.isFile()) {
        throw RametException.invalid("path", path + " is not a regular file");
      }
      return old;
    } catch (LinuxException e) {
      if (e.errno() != LinuxException.ENOENT) {
        throw e;
      }
      int slash = name.length - 1;
      while (slash >= 0 && name[slash] != '/') {
        slash--;
      }
      if (!parents && slash > 0 && !volume.files().stat(Arrays.copyOf(name, slash)).isDirectory()) {
        throw RametException.notFound("path", path);
      }
      return null;
    }
  }

  private static void copy(InputStream content, Fd file) throws IOException, LinuxException {
    byte[] piece = new byte[GuestFileServer.MAX_DATA_BYTES];
    ByteBuffer buffer = ByteBuffer.allocateDirect(piece.length);
    long offset = 0;
    for (int n = content.read(piece); n >= 0; n = content.read(piece)) {
      buffer.clear().put(piece, 0, n).flip();
      file.pwrite(buffer, offset);
      offset += n;
    }
  }
}
