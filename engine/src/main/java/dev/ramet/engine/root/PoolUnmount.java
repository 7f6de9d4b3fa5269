// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.root;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.root.StorageProvisioner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Unmounts pools. The kernel refuses it while anything has a file in the pool open, so a machine
 * that runs keeps its pool.
 */
public final class PoolUnmount {
  private static final System.Logger LOG = System.getLogger(PoolUnmount.class.getName());

  private PoolUnmount() {}

  /**
   * Unmounts the pools in these directories that nobody uses, for a host that stops. The caller has
   * the data root's lock.
   */
  public static void tryAll(List<StorageProvisioner> provisioners, List<Path> directories) {
    for (Path directory : directories) {
      for (StorageProvisioner provisioner : provisioners) {
        try {
          if (Files.isDirectory(directory)) {
            provisioner.stop(directory);
          }
        } catch (RametException e) {
          // Sandboxes run on, or only root could do it. Nothing is lost: the next start finds it.
          System.Logger.Level level =
              e.code() == ErrorCode.CONFLICT ? System.Logger.Level.INFO : System.Logger.Level.DEBUG;
          LOG.log(level, "the pool in {0} stays mounted: {1}", directory, e.getMessage());
        }
      }
    }
  }

  /**
   * Unmounts the pools in a data root on which no host runs.
   *
   * @return the mount points
   * @throws RametException {@code CONFLICT} if another process has the data root open or something
   *     in a pool is in use, {@code HOST_UNFIT} if only root can do it
   */
  public static List<Path> unmount(List<StorageProvisioner> provisioners, Path dataRoot) {
    List<Path> unmounted = new ArrayList<>();
    try (RootLock lock = RootLock.acquireForInspection(dataRoot)) {
      for (StorageProvisioner provisioner : provisioners) {
        Path pool = provisioner.status(dataRoot).root();
        if (provisioner.stop(dataRoot)) {
          unmounted.add(pool);
        }
      }
    } catch (IOException e) {
      throw new RametException(ErrorCode.HOST_UNFIT, "cannot lock " + dataRoot + ": " + e, e);
    }
    return unmounted;
  }
}
