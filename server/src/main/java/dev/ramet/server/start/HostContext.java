// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import dev.ramet.config.Configuration;
import dev.ramet.config.ConfigurationSources;
import dev.ramet.engine.EngineConfig;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.access.LocalSocket;
import dev.ramet.server.http.ListenAddress;
import dev.ramet.server.settings.HostSettings;
import dev.ramet.server.tls.TlsProperties;
import dev.ramet.spi.settings.Settings;
import io.micronaut.context.ApplicationContext;
import io.micronaut.context.ApplicationContextBuilder;
import io.micronaut.context.env.EnvironmentPropertySource;
import io.micronaut.context.env.PropertySource;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Creates the host's application context, with its settings as Micronaut property sources: defaults
 * have the lowest priority, and the environment overrides the file.
 */
public final class HostContext {
  private static final int DEFAULTS = -1000;
  private static final int FILE = EnvironmentPropertySource.POSITION - 10;

  private static final int GIVEN = 0;

  private HostContext() {}

  /** Returns a context builder for a configuration, which must be valid. */
  static ApplicationContextBuilder builder(HostConfiguration host) {
    Configuration configuration = host.configuration();
    Settings settings = configuration.settings();
    return ApplicationContext.builder()
        .banner(false)
        .singletons(settings, host.plugins())
        .propertySources(
            PropertySource.of("ramet-defaults", configuration.defaults(), DEFAULTS),
            PropertySource.of("ramet-file", configuration.fileProperties(), FILE),
            PropertySource.of("ramet-read", asRead(settings)),
            PropertySource.of("ramet-tls", TlsProperties.properties(settings)),
            PropertySource.of("ramet-listeners", listeners(settings)));
  }

  /**
   * Returns a context builder with these settings, which override the environment.
   *
   * @throws RametException {@code INVALID_ARGUMENT} if one is wrong
   */
  public static ApplicationContextBuilder builder(Map<String, Object> given) {
    Map<String, String> flags = new LinkedHashMap<>();
    given.forEach((key, value) -> flags.put(key, String.valueOf(value)));
    HostConfiguration host =
        HostConfiguration.load(new ConfigurationSources(null, System.getenv(), Map.of(), flags));
    if (!host.configuration().problems().isEmpty()) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT, host.configuration().problems().get(0).toString());
    }
    return builder(host).propertySources(PropertySource.of("ramet-given", given, GIVEN));
  }

  /**
   * Returns settings that Micronaut would read otherwise: Kubernetes may add a variable RAMET_PORT,
   * and Micronaut does not know times like {@code 1h30m}.
   */
  private static Map<String, Object> asRead(Settings settings) {
    return Map.of(
        HostSettings.PORT.key(),
        settings.get(HostSettings.PORT),
        FrameworkSettings.GRACE.key(),
        settings.get(FrameworkSettings.GRACE).toMillis() + "ms");
  }

  private static Map<String, Object> listeners(Settings settings) {
    int port = settings.get(HostSettings.PORT);
    // A host whose port is taken will not start, and leaves everything as it was.
    boolean starts = port < 1 || ListenAddress.isFree(settings.get(HostSettings.BIND), port);
    Path socket =
        starts
            ? LocalSocket.prepare(
                settings.find(LocalSocket.SOCKET).orElse(null),
                port,
                settings.get(EngineConfig.DATA_ROOT))
            : null;
    return LocalSocket.properties(socket, port, TlsProperties.isOn(settings));
  }
}
