// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.config;

import dev.ramet.spi.Provider;
import dev.ramet.spi.hypervisor.HypervisorProvider;
import dev.ramet.spi.storage.StorageBackendProvider;
import java.util.HashSet;
import java.util.Iterator;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;

/**
 * The storage backends and hypervisors that the host was built with, whose settings are all in the
 * catalogue. Their modules name them, and so do the settings: a command of the command line has no
 * modules.
 */
public final class BuiltInPlugins {
  private static final System.Logger LOG = System.getLogger(BuiltInPlugins.class.getName());

  private BuiltInPlugins() {}

  /** Returns the ids of all that have a module here or a setting. */
  static Set<String> ids() {
    Set<String> ids = new HashSet<>(of(HypervisorProvider.class));
    ids.addAll(of(StorageBackendProvider.class));
    for (Setting setting : SettingCatalog.settings()) {
      if (setting.key().startsWith(SettingCatalog.PLUGIN)) {
        String rest = setting.key().substring(SettingCatalog.PLUGIN.length());
        ids.add(rest.substring(0, rest.indexOf('.')));
      }
    }
    return ids;
  }

  /** Returns the ids of the hypervisors that have a module here. */
  public static Set<String> hypervisors() {
    return of(HypervisorProvider.class);
  }

  private static Set<String> of(Class<? extends Provider<?>> service) {
    Set<String> ids = new HashSet<>();
    Iterator<? extends Provider<?>> all =
        ServiceLoader.load(ModuleLayer.boot(), service).iterator();
    try {
      while (all.hasNext()) {
        ids.add(all.next().id());
      }
    } catch (ServiceConfigurationError e) {
      // The engine refuses such a plugin and names it.
      LOG.log(System.Logger.Level.DEBUG, "a built-in plugin does not load", e);
    }
    return ids;
  }
}
