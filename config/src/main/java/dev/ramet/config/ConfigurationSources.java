// SPDX-License-Identifier: Apache-2.0
package dev.ramet.config;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sources of a host's settings. Immutable and thread-safe.
 *
 * @param file the file of settings, which must exist, or null for none
 * @param environment environment variables
 * @param properties system properties of Java
 * @param flags command-line options, by name
 */
public record ConfigurationSources(
    @Nullable Path file,
    Map<String, String> environment,
    Map<String, String> properties,
    Map<String, String> flags) {
  private static final Path SYSTEM_FILE = Path.of("/etc/ramet/ramet.yaml");

  /** Copies the maps. */
  public ConfigurationSources {
    environment = Map.copyOf(environment);
    properties = Map.copyOf(properties);
    flags = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(flags));
  }

  /**
   * Returns the sources of this process.
   *
   * @param file the file given by an option, or null
   */
  public static ConfigurationSources create(
      @Nullable Path file, Map<String, String> environment, Map<String, String> flags) {
    Map<String, String> properties = new LinkedHashMap<>();
    for (String name : System.getProperties().stringPropertyNames()) {
      if (name.startsWith("ramet.") || name.startsWith("micronaut.")) {
        properties.put(name, System.getProperty(name));
      }
    }
    return new ConfigurationSources(
        file != null ? file : find(environment), environment, properties, flags);
  }

  /** Parses options of the form {@code -name=value}, which the host receives. */
  public static Map<String, String> flags(List<String> arguments) {
    Map<String, String> flags = new LinkedHashMap<>();
    for (String argument : arguments) {
      String bare = argument.replaceFirst("^-{1,2}", "");
      int equals = bare.indexOf('=');
      flags.put(
          equals < 0 ? bare : bare.substring(0, equals),
          equals < 0 ? "true" : bare.substring(equals + 1));
    }
    return flags;
  }

  /** Returns the directory of the installed layout. */
  String home() {
    return environment.getOrDefault(ProcessCatalogue.HOME, "/usr/share/ramet");
  }

  static @Nullable Path find(Map<String, String> environment) {
    String named = environment.getOrDefault(ProcessCatalogue.CONFIG, "");
    if (!named.isEmpty()) {
      return Path.of(named).toAbsolutePath();
    }
    String home = environment.getOrDefault(ProcessCatalogue.HOME, "");
    if (!home.isEmpty()) {
      Path installed = Path.of(home, "conf", "ramet.yaml");
      if (Files.exists(installed)) {
        return installed;
      }
    }
    return Files.exists(SYSTEM_FILE) ? SYSTEM_FILE : null;
  }
}
