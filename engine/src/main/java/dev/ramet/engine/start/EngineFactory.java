// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.OfflineStorage;
import dev.ramet.engine.check.OfflineRoots;
import dev.ramet.engine.machine.UserNetwork;
import dev.ramet.engine.root.PoolUnmount;
import dev.ramet.pluginhost.find.PluginPolicy;
import java.nio.file.Path;
import java.util.List;

/** Opens engines. */
public final class EngineFactory {
  private EngineFactory() {}

  /** Opens a data root with the plugins that the settings name. */
  public static Engine open(EngineConfig config) {
    return open(config, PluginHost.load(PluginPolicy.from(config.settings())));
  }

  /**
   * Opens a data root: provisions storage if allowed and needed, selects plugins, cleans up the
   * root, and finds the sandboxes that still run.
   *
   * @throws dev.ramet.errors.RametException {@code CONFLICT} if another process has the data root
   *     open, {@code HOST_UNFIT} if no storage backend works there, {@code CORRUPT} if it has lost
   *     its record
   */
  public static Engine open(EngineConfig config, PluginHost plugins) {
    return EngineAssembly.open(config, plugins, List.of(new UserNetwork()));
  }

  /**
   * Unmounts the pools of a data root on which no host runs. The next start of a host mounts them
   * again.
   *
   * @return the places that were unmounted
   * @throws dev.ramet.errors.RametException {@code CONFLICT} if another process has the data root
   *     open, or a sandbox still uses a pool; {@code HOST_UNFIT} if only root can unmount it
   */
  public static List<Path> unmountPools(Path dataRoot, PluginHost plugins) {
    return PoolUnmount.unmount(plugins.checked(PluginPolicy.BUILT_IN).provisioners(), dataRoot);
  }

  /** Opens a data root for inspection with the plugins that the settings name. */
  public static OfflineStorage openOffline(EngineConfig config) {
    return openOffline(config, PluginHost.load(PluginPolicy.from(config.settings())));
  }

  /**
   * Opens a data root for inspection while no host runs on it, with the storage backends recorded
   * in it. It starts no machine, probes nothing, and changes nothing except that it may mount a
   * pool.
   *
   * @param config only the data root and the settings of plugins are used
   * @param plugins the plugins to use; none is required
   * @throws dev.ramet.errors.RametException {@code NOT_FOUND} if there is no data root of Ramet,
   *     {@code CONFLICT} if another process has it open, {@code CORRUPT} if its record is gone or
   *     cannot be read, {@code HOST_UNFIT} if its storage backend is missing or its pool cannot be
   *     mounted, {@code UNSUPPORTED} if its storage backend can be inspected by a running host only
   */
  public static OfflineStorage openOffline(EngineConfig config, PluginHost plugins) {
    return OfflineRoots.open(config, plugins.checked(PluginPolicy.BUILT_IN));
  }
}
