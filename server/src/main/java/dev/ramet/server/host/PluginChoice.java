// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.host;

import dev.ramet.engine.PluginPolicy;
import dev.ramet.server.config.BuiltInPlugins;
import dev.ramet.server.settings.EngineSettings;
import io.micronaut.context.env.Environment;
import io.micronaut.core.naming.conventions.StringConvention;
import io.micronaut.core.type.Argument;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings that choose and configure plugins.
 *
 * @param environment the source of the settings
 */
public record PluginChoice(Environment environment) {
  private static final String SETTINGS = "ramet.plugin";

  /** Returns which plugins a host loads, according to its settings. */
  static PluginPolicy policy(EngineSettings engine) {
    return policy(
        engine.pluginsDir(),
        engine.pluginsRequired(),
        engine.pluginsNativeAccess(),
        engine.pluginsPreferred());
  }

  /** Returns the policy for inspecting a host's storage, which requires no plugin. */
  public PluginPolicy optional() {
    return policy(
        environment.getProperty("ramet.plugins-dir", Path.class).orElse(null),
        null,
        environment
            .getProperty("ramet.plugins-native-access", Argument.listOf(String.class))
            .orElse(null),
        null);
  }

  private static PluginPolicy policy(
      @Nullable Path directory,
      @Nullable List<String> required,
      @Nullable List<String> nativeAccess,
      @Nullable List<String> preferred) {
    return new PluginPolicy(
        directory == null ? null : directory.toAbsolutePath(),
        new HashSet<>(names(required)),
        new HashSet<>(names(nativeAccess)),
        names(preferred));
  }

  /** An empty setting arrives as one empty name. */
  static List<String> names(@Nullable List<String> set) {
    return set == null
        ? List.of()
        : set.stream().map(String::strip).filter(name -> !name.isEmpty()).toList();
  }

  /**
   * Returns the settings {@code ramet.plugin.<id>.<key>}, and the host's other settings for
   * plugins.
   */
  public Map<String, Map<String, String>> settings() {
    Map<String, Map<String, String>> settings = new HashMap<>();
    environment
        .getProperties(SETTINGS, StringConvention.RAW)
        .forEach(
            (name, value) -> {
              int dot = name.indexOf('.');
              // Micronaut lists an environment variable once for every reading of its underscores.
              if (dot > 0 && dot < name.length() - 1) {
                settings
                    .computeIfAbsent(name.substring(0, dot), id -> new HashMap<>())
                    .put(name.substring(dot + 1), String.valueOf(value));
              }
            });
    environment
        .getProperty("ramet.accelerator", String.class)
        .ifPresent(
            accelerator -> {
              // Hypervisors of third parties have settings of their own.
              for (String hypervisor : BuiltInPlugins.hypervisors()) {
                settings
                    .computeIfAbsent(hypervisor, id -> new HashMap<>())
                    .put("accelerator", accelerator);
              }
            });
    return settings;
  }
}
