// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.reflinkxfs.provision;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.FileStat;
import dev.ramet.linux.file.PathCalls;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.UUID;

/** Determines which parts of a pool exist, and whether it is ours. Changes nothing. */
final class PoolState {
  private PoolState() {}

  /** Returns whether our image is mounted in its place; anything else there is an error. */
  static boolean isMounted(Pool pool) {
    String device = Mounts.deviceAt(pool.mountPoint());
    if (device == null) {
      return false;
    }
    if (!pool.image().equals(Mounts.backingFile(device)) || PoolMarker.read(pool) == null) {
      throw foreign("something else is mounted at " + pool.mountPoint());
    }
    return true;
  }

  static boolean isCreated(Pool pool) {
    return Files.exists(pool.image()) && PoolMarker.read(pool) != null;
  }

  /** Refuses names that are taken by files we did not create. */
  static void refuseForeign(Pool pool) throws LinuxException {
    UUID uuid = PoolMarker.read(pool);
    if (Files.exists(pool.image(), LinkOption.NOFOLLOW_LINKS)
        && (uuid == null || !PoolMarker.matches(pool.image(), uuid))) {
      throw foreign("not an image that Ramet made: " + pool.image());
    }
    if (uuid == null && Files.exists(pool.newImage(), LinkOption.NOFOLLOW_LINKS)) {
      throw foreign("not an image that Ramet made: " + pool.newImage());
    }
    Path place = pool.mountPoint();
    if (Files.exists(place, LinkOption.NOFOLLOW_LINKS) && !isEmptyDirectory(place)) {
      throw foreign("not an empty directory: " + place);
    }
  }

  private static boolean isEmptyDirectory(Path place) {
    if (!Files.isDirectory(place, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(place)) {
      return !entries.iterator().hasNext();
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT, "cannot read " + place + ": " + e.getMessage(), e);
    }
  }

  private static RametException foreign(String what) {
    return new RametException(
        ErrorCode.CONFLICT, what, "move it away, or use another data root", null);
  }

  static FileStat sizeOf(Pool pool) throws LinuxException {
    // Only root may read the image; the owner of the data root may see its size.
    return PathCalls.stat(pool.image());
  }
}
