// SPDX-License-Identifier: Apache-2.0
package dev.ramet.config;

import dev.ramet.spi.settings.Setting;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Sorts environment variables into settings, those of nobody, and those of other programs. */
final class EnvironmentReader {
  static final String MORE_FILES = "micronaut.config.files";

  private static final String VARIABLE = "RAMET_";
  private static final String PLUGIN_VARIABLE = Setting.variable(SettingCatalog.PLUGIN);

  private final SettingCatalog catalog;
  private final Sink sink;

  /** Receives the variables. */
  interface Sink {
    /** Accepts a value of a declared setting, which may be wrong. */
    void put(Setting<?> setting, RawValue given);

    /** Accepts a value for a plugin that is not there. */
    void putUnchecked(RawValue given);

    /** Accepts a setting of Micronaut that is not supported. */
    void refuse(RawValue given);

    /** Accepts a sentence about a variable that is no setting. */
    void warn(Problem warning);
  }

  EnvironmentReader(SettingCatalog catalog, Sink sink) {
    this.catalog = catalog;
    this.sink = sink;
  }

  void read(Map<String, String> environment) {
    new TreeMap<>(environment).forEach(this::variable);
  }

  private void variable(String name, String value) {
    if (!name.startsWith(VARIABLE) && !name.startsWith("MICRONAUT_")) {
      return;
    }
    if (ServiceVariables.isInjected(name, value)) {
      return;
    }
    ValueSource origin = ValueSource.variable(name);
    if (name.equals(Setting.variable(MORE_FILES))) {
      sink.refuse(new RawValue(MORE_FILES, value, origin));
      return;
    }
    Setting<?> setting = catalog.ofVariable(name);
    if (setting != null) {
      // A variable that only the commands and the launcher read counts as unset when it is empty.
      if (!setting.environmentOnly() || !value.isEmpty()) {
        sink.put(setting, new RawValue(setting.key(), value, origin));
      }
    } else if (name.startsWith(PLUGIN_VARIABLE) && !belongsToPresentPlugin(name)) {
      // Only the plugin knows which underscores of the name stand for dots.
      String key =
          SettingCatalog.PLUGIN
              + name.substring(PLUGIN_VARIABLE.length()).toLowerCase(Locale.ROOT).replace('_', '.');
      sink.putUnchecked(new RawValue(key, value, origin));
    } else if (name.startsWith(VARIABLE)) {
      // Programs share the environment, so this need not be a mistake.
      String meant = closest(name);
      sink.warn(
          new Problem(
              name,
              origin,
              "no such setting, ignored" + (meant == null ? "" : "; did you mean " + meant)));
    }
  }

  private boolean belongsToPresentPlugin(String name) {
    return catalog.plugins().stream()
        .anyMatch(id -> name.startsWith(PLUGIN_VARIABLE + Setting.variable(id) + "_"));
  }

  private @Nullable String closest(String variable) {
    return Suggestions.closest(variable, catalog.variables(), VARIABLE);
  }
}
