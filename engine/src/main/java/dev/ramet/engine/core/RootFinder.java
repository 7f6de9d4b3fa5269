// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.core;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.engine.Doctor;
import dev.ramet.engine.plugin.Plugins;
import dev.ramet.engine.plugin.Role;
import dev.ramet.engine.store.Layout;
import dev.ramet.engine.store.RootRecord;
import dev.ramet.spi.storage.ProvisioningStatus;
import dev.ramet.spi.storage.StorageProvisioner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds roots that were made, where {@link RootOpener} would find them. It makes none, probes
 * nothing, and changes nothing but that a pool is mounted. Used by one thread.
 */
final class RootFinder {
  private final Plugins plugins;
  private final List<Path> mounted = new ArrayList<>();

  RootFinder(Plugins plugins) {
    this.plugins = plugins;
  }

  /** Whether a directory is a root, or has one in a pool, mounted or not. Changes nothing. */
  boolean isRoot(Path directory) {
    if (Files.exists(new Layout(directory).rootRecord())) {
      return true;
    }
    for (StorageProvisioner provisioner : plugins.provisioners()) {
      if (hasPool(provisioner.status(directory))) {
        return true;
      }
    }
    return false;
  }

  private static boolean hasPool(ProvisioningStatus status) {
    return status.state() == ProvisioningStatus.State.STOPPED
        || status.state() == ProvisioningStatus.State.ACTIVE;
  }

  /**
   * Finds the root of a directory that has one, and mounts the pool it is in as a host would.
   *
   * @throws RametException as {@link dev.ramet.engine.RametEngine#atRest}
   */
  RootOpener.Root find(Role role, Path directory) {
    Layout layout = new Layout(place(directory));
    if (!Files.exists(layout.rootRecord())) {
      throw new RametException(
          ErrorCode.NOT_FOUND,
          "no root was made in " + layout.root() + " yet, or its root.json is gone",
          "restore that, or start a host, which makes a new one",
          null);
    }
    RootRecord record = RootOpener.read(layout);
    String id = record.storageBackend();
    return new RootOpener.Root(
        role,
        layout,
        record,
        RootOpener.provider(plugins, id, layout),
        List.of(),
        new Doctor.Selection(role.label(), layout.root().toString(), id, "recorded in the root"),
        null);
  }

  private Path place(Path directory) {
    for (StorageProvisioner provisioner : plugins.provisioners()) {
      ProvisioningStatus status = status(provisioner, directory);
      if (hasPool(status)) {
        Path pool = provisioner.provision(directory, null);
        if (status.state() == ProvisioningStatus.State.STOPPED) {
          mounted.add(pool);
        }
        return pool;
      }
    }
    return directory;
  }

  /**
   * One that cannot tell, as on a file system that is mounted read-only, has made no pool there.
   */
  private static ProvisioningStatus status(StorageProvisioner provisioner, Path directory) {
    try {
      return provisioner.status(directory);
    } catch (RametException e) {
      if (!Files.exists(new Layout(directory).rootRecord())) {
        throw e;
      }
      return new ProvisioningStatus(
          ProvisioningStatus.State.IMPOSSIBLE, directory, 0, String.valueOf(e.getMessage()), null);
    }
  }

  /** The pools that had to be mounted. */
  List<Path> mounted() {
    return List.copyOf(mounted);
  }
}
