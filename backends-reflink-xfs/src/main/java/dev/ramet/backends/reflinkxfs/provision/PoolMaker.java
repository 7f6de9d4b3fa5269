// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.reflinkxfs.provision;

import static java.lang.System.Logger.Level.INFO;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.PathCalls;
import java.util.UUID;

/** Makes the image file of a pool, with an empty XFS in it. */
final class PoolMaker {
  private static final System.Logger LOG = System.getLogger(PoolMaker.class.getName());

  private PoolMaker() {}

  /** Makes the image and its marker. After a failure there is neither. */
  static void make(Pool pool, long sizeBytes) throws LinuxException {
    // A marker without an image is all that a crash leaves: start again with one of our own.
    PathCalls.unlink(pool.newImage());
    PathCalls.unlink(pool.marker());
    UUID uuid = UUID.randomUUID();
    PoolMarker.write(pool, uuid);
    boolean done = false;
    try {
      try (Fd image = Fd.createNew(pool.newImage(), 0600)) {
        image.truncate(sizeBytes);
        mkfs()
            .run(
                "-q",
                // The image is all holes: there is nothing to discard.
                "-K",
                // No reverse map: it doubles what a clone has to log, and is needed only for online
                // repair.
                "-m",
                "uuid=" + uuid + ",crc=1,reflink=1,rmapbt=0",
                pool.newImage().toString());
        image.fsync();
      }
      PathCalls.renameToNew(pool.newImage(), pool.image());
      done = true;
      Fd.syncDirectory(pool.dataRoot());
    } finally {
      if (!done) {
        PathCalls.unlink(pool.newImage());
        PathCalls.unlink(pool.marker());
      }
    }
    LOG.log(INFO, "made {0} of {1} MiB", pool.image(), Long.toString(sizeBytes >> 20));
  }

  /** Returns the program that makes the file system; fails if it is missing. */
  static Program mkfs() {
    return Program.require("mkfs.xfs", "apt-get install xfsprogs, or dnf install xfsprogs");
  }
}
