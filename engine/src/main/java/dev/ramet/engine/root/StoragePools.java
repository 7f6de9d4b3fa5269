// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.root;

import dev.ramet.engine.state.Layout;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.root.ProvisioningStatus;
import dev.ramet.spi.storage.root.StorageProvisioner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds and mounts pools that were created below directories; never creates one. Used by one
 * thread.
 */
final class StoragePools {
  private static final System.Logger LOG = System.getLogger(StoragePools.class.getName());

  private final List<StorageProvisioner> provisioners;
  private final List<Path> mounted = new ArrayList<>();

  StoragePools(List<StorageProvisioner> provisioners) {
    this.provisioners = provisioners;
  }

  /** Returns whether a directory has a pool, mounted or not. Changes nothing. */
  boolean hasPool(Path directory) {
    return provisioners.stream().anyMatch(one -> hasPool(one.status(directory)));
  }

  /**
   * Finds the pool that is the root of a directory, and mounts it.
   *
   * @return null when there is none, or when the directory was a root before the pool was created
   *     and therefore stays the root
   */
  @Nullable Path findPool(Path directory) {
    boolean root = hasRecord(directory);
    for (StorageProvisioner provisioner : provisioners) {
      ProvisioningStatus status = status(provisioner, directory, root);
      if (!hasPool(status)) {
        continue;
      }
      Path pool = provisioner.provision(directory, null);
      if (status.state() == ProvisioningStatus.State.STOPPED) {
        mounted.add(pool);
      }
      if (!root || hasRecord(pool)) {
        return pool;
      }
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} is not used: {1} was made without it; to move snapshots to a new data root, use"
              + " ramet storage export and import",
          pool,
          directory);
    }
    return null;
  }

  /** Returns the pools that had to be mounted. */
  List<Path> mounted() {
    return List.copyOf(mounted);
  }

  private static boolean hasRecord(Path directory) {
    return Files.exists(new Layout(directory).rootRecord());
  }

  private static boolean hasPool(ProvisioningStatus status) {
    return status.state() == ProvisioningStatus.State.STOPPED
        || status.state() == ProvisioningStatus.State.ACTIVE;
  }

  /**
   * Returns the status of a pool. A provisioner that cannot determine it, as on a full or read-only
   * file system, does not keep an existing root from being opened.
   */
  private static ProvisioningStatus status(
      StorageProvisioner provisioner, Path directory, boolean root) {
    try {
      return provisioner.status(directory);
    } catch (RametException e) {
      if (!root) {
        throw e;
      }
      LOG.log(System.Logger.Level.WARNING, "{0}: {1}", provisioner.id(), e.getMessage());
      return new ProvisioningStatus(
          ProvisioningStatus.State.IMPOSSIBLE, directory, 0, String.valueOf(e.getMessage()), null);
    }
  }
}
