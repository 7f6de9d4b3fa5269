// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import dev.ramet.spi.storage.root.StorageProvisioner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ServiceLoader;

/** The pools that hosts make in their data roots. */
final class Pools {
  private Pools() {}

  /** Mounts the pool of a host that has stopped and unmounted it, for a look at its files. */
  static void mount(Path dataRoot) {
    if (Files.exists(dataRoot.resolve("pool.xfs.img"))) {
      all().forEach(provisioner -> provisioner.provision(dataRoot, null));
    }
  }

  /** Unmounts and deletes the pool, if there is one. */
  static void remove(Path dataRoot) {
    all().forEach(provisioner -> provisioner.remove(dataRoot));
  }

  private static ServiceLoader<StorageProvisioner> all() {
    return ServiceLoader.load(ModuleLayer.boot(), StorageProvisioner.class);
  }
}
