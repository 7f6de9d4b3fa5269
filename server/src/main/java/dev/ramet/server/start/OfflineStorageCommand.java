// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import dev.ramet.api.storage.StorageCheck;
import dev.ramet.api.storage.StorageUsage;
import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.OfflineStorage;
import dev.ramet.engine.OwnerOnlyFiles;
import dev.ramet.engine.StepObserver;
import dev.ramet.engine.start.EngineFactory;
import dev.ramet.server.storage.StorageViews;
import dev.ramet.spi.settings.Settings;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * Runs storage commands of an operator on the data of a host that does not run, with the results
 * that {@link StorageController} would return. Starts no server. Thread-safe.
 */
public final class OfflineStorageCommand implements AutoCloseable {
  private final OfflineStorage storage;

  private OfflineStorageCommand(OfflineStorage storage) {
    this.storage = storage;
  }

  /**
   * Opens the data roots that a host with these settings would open.
   *
   * @param host the valid settings
   * @throws dev.ramet.errors.RametException as {@link EngineFactory#openOffline}
   */
  public static OfflineStorageCommand open(Path dataRoot, HostConfiguration host) {
    OwnerOnlyFiles.restrictNewFiles();
    Settings settings = host.configuration().settings().with(EngineConfig.DATA_ROOT, dataRoot);
    EngineConfig config = new EngineConfig(settings, StepObserver.NONE);
    return new OfflineStorageCommand(EngineFactory.openOffline(config, host.plugins()));
  }

  /**
   * Unmounts the pools of a data root.
   *
   * @param host the valid settings
   * @return the places that were unmounted
   * @throws dev.ramet.errors.RametException as {@link EngineFactory#unmountPools}
   */
  public static List<Path> unmountPools(Path dataRoot, HostConfiguration host) {
    return EngineFactory.unmountPools(dataRoot, host.plugins());
  }

  /** Returns the pools that had to be mounted for this; they stay mounted. */
  public List<Path> mounted() {
    return storage.mountedPools();
  }

  /** Checks the roots, and with {@code repair} repairs what it can. */
  public StorageCheck check(boolean repair) {
    return StorageViews.of(storage.check(repair));
  }

  /** Reports the usage of each disk and memory image, then of each root. */
  public void usage(Consumer<StorageUsage> lines) {
    storage
        .usage(node -> lines.accept(new StorageUsage(StorageViews.of(node), null, null)))
        .forEach(root -> lines.accept(new StorageUsage(null, StorageViews.of(root), null)));
  }

  /** Releases the roots for hosts. */
  @Override
  public void close() {
    storage.close();
  }
}
