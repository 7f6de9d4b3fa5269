// SPDX-License-Identifier: Apache-2.0
package dev.ramet.config;

import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.SettingGroup;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All settings of a host: those that its modules and its plugins declare, and those of its
 * processes. The reference page of settings, the shipped file, the defaults and the checks at start
 * are all derived from it. Immutable and thread-safe.
 */
public final class SettingCatalog {
  /** Prefix of the settings of plugins: {@code ramet.plugin.<id>.<key>}. */
  static final String PLUGIN = "ramet.plugin.";

  private final List<SettingGroup> groups;
  private final Set<String> plugins;
  private final Map<String, Setting<?>> byKey = new LinkedHashMap<>();
  private final Map<String, Setting<?>> byVariable = new LinkedHashMap<>();

  /**
   * Creates a catalogue.
   *
   * @param declared the settings in display order
   * @param plugins ids of the plugins all of whose settings are declared; those of other plugins
   *     are accepted unchecked
   */
  public SettingCatalog(List<SettingGroup> declared, Set<String> plugins) {
    this.plugins = Set.copyOf(plugins);
    this.groups = new ArrayList<>(declared);
    groups.addAll(ProcessCatalogue.groups());
    for (SettingGroup group : groups) {
      for (Setting<?> setting : group.settings()) {
        if (byKey.put(setting.key(), setting) != null) {
          throw new IllegalStateException(setting.key() + " is declared twice");
        }
        byVariable.put(setting.variable(), setting);
      }
    }
  }

  /** Returns the groups in display order; several may have the same name. */
  public List<SettingGroup> groups() {
    return List.copyOf(groups);
  }

  /** Returns all settings in display order. */
  public Collection<Setting<?>> settings() {
    return List.copyOf(byKey.values());
  }

  /** Returns the setting with a key, or null when there is none. */
  @Nullable Setting<?> find(String key) {
    return byKey.get(key);
  }

  /** Returns the setting that an environment variable sets, or null when there is none. */
  @Nullable Setting<?> ofVariable(String name) {
    return byVariable.get(name);
  }

  /** Returns the environment variables of all settings. */
  Collection<String> variables() {
    return byVariable.keySet();
  }

  /** Returns the ids of the plugins all of whose settings are declared. */
  Set<String> plugins() {
    return plugins;
  }
}
