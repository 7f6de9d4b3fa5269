// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.reflinkxfs.provision;

import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.PathCalls;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Mounts and unmounts pools. The callers have the pool's lock. */
final class PoolMount {
  private static final System.Logger LOG = System.getLogger(PoolMount.class.getName());

  private PoolMount() {}

  /** Mounts a pool that was made, and gives it to the owner of the data root. */
  static void mount(Pool pool) throws LinuxException {
    if (!Files.isDirectory(pool.mountPoint(), LinkOption.NOFOLLOW_LINKS)) {
      PathCalls.makeDirectory(pool.mountPoint(), 0700);
    }
    // mount(8) rather than our own loop ioctls: it finds a free device without a race, and lets the
    // kernel detach it with the unmount, also when this process is gone by then.
    Program.require("mount", "install util-linux")
        .run(
            "-t",
            "xfs",
            // discard: space freed in the pool is returned to the file system around it.
            "-o",
            "loop,noatime,discard",
            pool.image().toString(),
            pool.mountPoint().toString());
    String device = Mounts.deviceAt(pool.mountPoint());
    if (device != null) {
      bypassCache(Mounts.node(device));
    }
    // A new file system's own directory is open to all.
    try (Fd top = Fd.openDirectory(pool.mountPoint())) {
      top.chmod(0700);
    }
    XfsProvisioner.giveToOwner(pool, pool.mountPoint());
    LOG.log(INFO, "mounted {0} at {1}", pool.image(), pool.mountPoint());
  }

  /** Without this every page is cached twice, once in the pool and once in the image's file. */
  private static void bypassCache(Path device) {
    try {
      Program.require("losetup", "install util-linux").run("--direct-io=on", device.toString());
    } catch (RametException e) {
      // Some file systems do not support it; the pool works all the same.
      LOG.log(WARNING, "the kernel caches the pool twice: {0}", e.getMessage());
    }
  }

  /**
   * Unmounts a pool.
   *
   * @return true
   * @throws RametException {@code CONFLICT} if something in it is in use
   */
  static boolean unmount(Pool pool) throws LinuxException {
    if (!PathCalls.unmount(pool.mountPoint())) {
      throw new RametException(
          ErrorCode.CONFLICT,
          "in use: " + pool.mountPoint(),
          "stop the host and its sandboxes first",
          null);
    }
    LOG.log(INFO, "unmounted {0}", pool.mountPoint());
    return true;
  }
}
