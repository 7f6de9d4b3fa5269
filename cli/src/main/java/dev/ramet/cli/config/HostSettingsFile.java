// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.config;

import dev.ramet.cli.command.Context;
import dev.ramet.config.Configuration;
import dev.ramet.config.ConfigurationSources;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.start.HostConfiguration;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the host on this machine. A separate class, because only the launcher's full
 * class path has the classes that read them.
 */
public final class HostSettingsFile {
  private final HostConfiguration host;

  private HostSettingsFile(HostConfiguration host) {
    this.host = host;
  }

  /**
   * Returns the settings with which a host would start.
   *
   * @throws RametException {@code INVALID_ARGUMENT} when a setting is invalid
   */
  public static HostSettingsFile loadValid(Context context) {
    HostSettingsFile found = find(context, null, Map.of());
    requireValid(found.configuration());
    return found;
  }

  /** Returns the settings and the plugins. */
  public HostConfiguration host() {
    return host;
  }

  /**
   * Returns the settings of the host and its engine. Loads no plugin, and does not check the
   * settings of plugins.
   *
   * @throws RametException {@code INVALID_ARGUMENT} when another setting is invalid
   */
  static Configuration loadWithoutPlugins(Context context) {
    try {
      Configuration found =
          HostConfiguration.loadWithoutPlugins(
              ConfigurationSources.create(null, context.environment(), Map.of()));
      requireValid(found);
      return found;
    } catch (NoClassDefFoundError e) {
      throw notOnClassPath(context, e);
    }
  }

  private static void requireValid(Configuration found) {
    if (!found.problems().isEmpty()) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          "the host's settings are invalid: " + found.problems().get(0),
          "run: ramet config check",
          null);
    }
  }

  /** Returns the effective settings. */
  public Configuration configuration() {
    return host.configuration();
  }

  static Configuration load(Context context, @Nullable Path file, Map<String, String> flags) {
    return find(context, file, flags).configuration();
  }

  private static HostSettingsFile find(
      Context context, @Nullable Path file, Map<String, String> flags) {
    try {
      return new HostSettingsFile(
          HostConfiguration.load(ConfigurationSources.create(file, context.environment(), flags)));
    } catch (NoClassDefFoundError e) {
      throw notOnClassPath(context, e);
    }
  }

  private static RametException notOnClassPath(Context context, NoClassDefFoundError e) {
    String home = context.environment("RAMET_HOME");
    return new RametException(
        ErrorCode.UNSUPPORTED,
        "the host is not on the class path",
        "run it with the launcher, the command first: "
            + (home == null ? "bin" : home + "/bin")
            + "/ramet config …",
        e);
  }
}
