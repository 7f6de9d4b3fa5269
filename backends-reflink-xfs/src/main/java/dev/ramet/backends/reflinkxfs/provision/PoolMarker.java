// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.reflinkxfs.provision;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.PathCalls;
import java.io.IOException;
import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Properties;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Marks a pool as ours by the UUID of its file system: written before the image and removed after
 * it, so that an image without a marker belongs to somebody else.
 */
final class PoolMarker {
  // struct xfs_dsb, fs/xfs/libxfs/xfs_format.h: big-endian, at the start of the device.
  private static final int XFS_SB_MAGIC = 0x58465342;
  private static final int SB_UUID = 32;
  private static final int SB_READ = 48;

  private PoolMarker() {}

  /** Returns the UUID of our pool, or null when there is no marker. */
  static @Nullable UUID read(Pool pool) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(pool.marker())) {
      properties.load(reader);
      if (properties.getProperty("provisioner", "").equals(XfsProvisioner.ID)) {
        return UUID.fromString(properties.getProperty("uuid", ""));
      }
    } catch (NoSuchFileException e) {
      return null;
    } catch (AccessDeniedException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT,
          "permission denied: cannot read " + pool.marker() + ", which names the pool's owner",
          "run as the owner of "
              + pool.dataRoot()
              + ", who must also own the marker: if that is not so, chown it as root",
          e);
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT,
          "cannot read " + pool.marker() + ": " + e,
          "look for the cause in dmesg",
          e);
    } catch (IllegalArgumentException e) {
      throw foreignMarker(pool.marker());
    }
    throw foreignMarker(pool.marker());
  }

  private static RametException foreignMarker(Path marker) {
    return new RametException(
        ErrorCode.CONFLICT,
        "not the marker of a pool that Ramet made: " + marker,
        "move it and its files away, or use another data root",
        null);
  }

  /** Claims the pool's names. */
  static void write(Pool pool, UUID uuid) throws LinuxException {
    byte[] text =
        ("provisioner=" + XfsProvisioner.ID + "\nuuid=" + uuid + "\n")
            .getBytes(StandardCharsets.UTF_8);
    Path unfinished = pool.dataRoot().resolve(".pool.new");
    PathCalls.unlink(unfinished);
    try (Fd fd = Fd.createNew(unfinished, 0600)) {
      fd.pwrite(ByteBuffer.allocateDirect(text.length).put(text).flip(), 0);
      fd.fsync();
    }
    // A host that does not run as root must be able to find its pool, too.
    XfsProvisioner.giveToOwner(pool, unfinished);
    PathCalls.renameToNew(unfinished, pool.marker());
    Fd.syncDirectory(pool.dataRoot());
  }

  /** Returns whether an image holds the XFS with this UUID. */
  static boolean matches(Path image, UUID uuid) throws LinuxException {
    ByteBuffer superblock = ByteBuffer.allocateDirect(SB_READ);
    try (Fd fd = Fd.openRead(image)) {
      if (fd.pread(superblock, 0) < SB_READ) {
        return false;
      }
    }
    return superblock.getInt(0) == XFS_SB_MAGIC
        && superblock.getLong(SB_UUID) == uuid.getMostSignificantBits()
        && superblock.getLong(SB_UUID + Long.BYTES) == uuid.getLeastSignificantBits();
  }
}
