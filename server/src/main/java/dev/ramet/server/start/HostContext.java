// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import dev.ramet.server.access.LocalSocket;
import dev.ramet.server.config.Configuration;
import dev.ramet.server.config.Sources;
import dev.ramet.server.config.TlsKeys;
import dev.ramet.server.http.ListenAddress;
import dev.ramet.server.tls.TlsProperties;
import io.micronaut.context.ApplicationContext;
import io.micronaut.context.ApplicationContextBuilder;
import io.micronaut.context.env.EnvironmentPropertySource;
import io.micronaut.context.env.PropertySource;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Creates the host's application context, with its settings as Micronaut property sources: defaults
 * have the lowest priority, and the environment overrides the file.
 */
public final class HostContext {
  private static final int DEFAULTS = -1000;
  private static final int FILE = EnvironmentPropertySource.POSITION - 10;

  private static final int GIVEN = 0;

  private HostContext() {}

  /** Returns a context builder for a configuration. */
  static ApplicationContextBuilder builder(Configuration configuration, Sources sources) {
    return ApplicationContext.builder()
        .banner(false)
        .propertySources(
            PropertySource.of("ramet-defaults", Configuration.defaults(sources), DEFAULTS),
            PropertySource.of("ramet-file", configuration.fileProperties(), FILE),
            PropertySource.of(
                "ramet-tls", TlsProperties.properties(configuration.text(TlsKeys.SETTING))),
            PropertySource.of("ramet-listeners", listeners(configuration::text)));
  }

  /**
   * Returns a context builder with these settings, which override the environment, and with the
   * defaults.
   */
  public static ApplicationContextBuilder builder(Map<String, Object> settings) {
    Sources none = new Sources(null, System.getenv(), Map.of(), Map.of());
    return ApplicationContext.builder()
        .banner(false)
        .propertySources(
            PropertySource.of("ramet-defaults", Configuration.defaults(none), DEFAULTS),
            PropertySource.of("ramet-given", settings, GIVEN),
            PropertySource.of("ramet-tls", TlsProperties.properties(settings.get(TlsKeys.SETTING))),
            PropertySource.of(
                "ramet-listeners",
                listeners(
                    key -> {
                      Object set = settings.get(key);
                      return set == null ? Configuration.defaults(none).get(key) : set;
                    })));
  }

  private static Map<String, Object> listeners(Function<String, @Nullable Object> value) {
    int port = Integer.parseInt(String.valueOf(value.apply("ramet.port")));
    Object setting = value.apply(LocalSocket.SETTING);
    // A host whose port is taken will not start, and leaves everything as it was.
    boolean starts =
        port < 1 || ListenAddress.isFree(String.valueOf(value.apply("ramet.bind")), port);
    Path socket =
        starts
            ? LocalSocket.prepare(
                setting == null ? null : setting.toString(),
                port,
                Path.of(String.valueOf(value.apply("ramet.data-root"))))
            : null;
    return LocalSocket.properties(socket, port, TlsKeys.isOn(value.apply(TlsKeys.SETTING)));
  }
}
