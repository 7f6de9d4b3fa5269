// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import dev.ramet.pluginhost.Plugins;
import dev.ramet.pluginhost.find.PluginKind;
import dev.ramet.pluginhost.find.PluginPolicy;
import dev.ramet.spi.settings.Setting;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The plugins of a host. They are loaded once: first the host checks the settings that they
 * declare, then its engine uses them. Immutable and thread-safe.
 */
public final class PluginHost {
  // In this order people read about them.
  private static final List<PluginKind> ROLES =
      List.of(PluginKind.HYPERVISOR, PluginKind.STORAGE, PluginKind.MEMORY);

  private final Plugins plugins;

  PluginHost(Plugins plugins) {
    this.plugins = plugins;
  }

  /**
   * Loads the plugins. A plugin that cannot be loaded is left out; an engine that is opened with
   * the result reports that.
   */
  public static PluginHost load(PluginPolicy policy) {
    return new PluginHost(Plugins.find(policy));
  }

  /** Returns the ids of all plugins. */
  public Set<String> ids() {
    Set<String> ids = new TreeSet<>();
    plugins.declared().forEach(one -> ids.add(one.id()));
    return ids;
  }

  /** Returns the settings of the built-in plugins, by the keys with which operators set them. */
  public List<Setting<?>> builtInSettings() {
    return settings(true);
  }

  /** Returns the settings of the other plugins, by the keys with which operators set them. */
  public List<Setting<?>> pluginSettings() {
    return settings(false);
  }

  private List<Setting<?>> settings(boolean builtIn) {
    // Plugins of different roles may share an id, and then a setting.
    Map<String, Setting<?>> found = new LinkedHashMap<>();
    for (PluginKind role : ROLES) {
      for (Plugins.Declared one : plugins.declared()) {
        if (one.role() == role && one.builtIn() == builtIn) {
          one.settings()
              .forEach(
                  setting -> {
                    Setting<?> full = setting.below(PluginPolicy.prefix(one.id()));
                    found.putIfAbsent(full.key(), full);
                  });
        }
      }
    }
    return new ArrayList<>(found.values());
  }

  /** Reports the plugins that are left out, and returns the others. */
  Plugins checked(PluginPolicy policy) {
    plugins.check(policy);
    return plugins;
  }
}
