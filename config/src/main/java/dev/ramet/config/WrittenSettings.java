// SPDX-License-Identifier: Apache-2.0
package dev.ramet.config;

import dev.ramet.spi.settings.Setting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the host on this machine as they are written, in its file and in the environment.
 * A command reads them to find that host, without the catalogue of all settings and its checks.
 * Immutable and thread-safe.
 */
public final class WrittenSettings {
  private final @Nullable Path file;
  private final boolean readable;
  private final Map<String, String> written = new LinkedHashMap<>();
  private final List<Problem> problems;
  private final Map<String, String> environment;

  private WrittenSettings(@Nullable Path file, Map<String, String> environment) {
    this.file = file;
    this.environment = environment;
    this.readable = file == null || !Files.exists(file) || Files.isReadable(file);
    if (file == null || !readable) {
      problems = List.of();
      return;
    }
    YamlFile read = YamlFile.read(file, new SettingCatalog(List.of(), Set.of()));
    read.given().forEach((key, value) -> written.put(key, value.value()));
    problems = List.copyOf(read.problems());
  }

  /** Reads the file that a host with this environment would read. */
  public static WrittenSettings read(Map<String, String> environment) {
    return new WrittenSettings(ConfigurationSources.find(environment), environment);
  }

  /** Returns the settings in the environment alone. */
  public static WrittenSettings ofEnvironment(Map<String, String> environment) {
    return new WrittenSettings(null, environment);
  }

  /** Returns the file, or null when there is none. */
  public @Nullable Path file() {
    return file;
  }

  /** Returns whether this user may read the file; if not, only the environment counts. */
  public boolean isReadable() {
    return readable;
  }

  /** Returns the errors that keep the file from being read. */
  public List<Problem> problems() {
    return problems;
  }

  /**
   * Returns a setting's text; a variable overrides the file.
   *
   * @return null when it is not set
   */
  public @Nullable String text(String key) {
    String name = Setting.variable(key);
    String variable = environment.get(name);
    return variable != null && !variable.isEmpty() && !ServiceVariables.isInjected(name, variable)
        ? variable
        : written.get(key);
  }

  /** Returns the variable or the file that sets a key, or null when neither does. */
  public @Nullable String origin(String key) {
    String name = Setting.variable(key);
    String variable = environment.get(name);
    if (variable != null && !variable.isEmpty() && !ServiceVariables.isInjected(name, variable)) {
      return name;
    }
    return written.containsKey(key) ? String.valueOf(file) : null;
  }
}
