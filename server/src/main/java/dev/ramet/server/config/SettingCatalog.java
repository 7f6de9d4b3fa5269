// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The catalogue of all settings of Ramet. The reference page of settings, the shipped file, the
 * defaults and the checks at start are all derived from it. Immutable and thread-safe.
 */
public final class SettingCatalog {
  /** Prefix of the settings of third-party plugins: {@code ramet.plugin.<id>.<key>}. */
  static final String PLUGIN = "ramet.plugin.";

  private static final Map<String, Setting> ALL = all();

  private SettingCatalog() {}

  /** Returns all settings in display order, grouped by part. */
  public static List<Setting> settings() {
    return List.copyOf(ALL.values());
  }

  /** Returns the setting with a name, or null when there is none. */
  static @Nullable Setting find(String key) {
    return ALL.get(key);
  }

  private static Map<String, Setting> all() {
    List<Setting> list = new ArrayList<>();
    HostCatalogue.addTo(list);
    EngineCatalogue.addTo(list);
    HostCatalogue.addFrameworkTo(list);
    ProcessCatalogue.addTo(list);
    Map<String, Setting> map = new LinkedHashMap<>();
    for (Setting setting : list) {
      if (map.put(setting.key(), setting) != null) {
        throw new IllegalStateException(setting.key() + " is described twice");
      }
    }
    return map;
  }

  /** Adds the settings of one part. */
  static final class Part {
    private final List<Setting> list;
    private final String name;

    Part(List<Setting> list, String name) {
      this.list = list;
      this.name = name;
    }

    void add(Setting setting) {
      list.add(setting);
    }

    Setting setting(String key, Type type, @Nullable String fallback, String meaning) {
      return new Setting(key, name, type, null, fallback, null, meaning, null, false);
    }
  }
}
