// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.tls;

import dev.ramet.server.config.TlsKeys;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What Micronaut has to be told so that the host's one port speaks TLS. */
public final class TlsProperties {
  private TlsProperties() {}

  /** What a listener is told to find the host's certificate by. */
  public static final String KEY_NAME = HostCertificate.NAME;

  /**
   * Micronaut's settings.
   *
   * @param value of the setting, or null
   */
  public static Map<String, Object> properties(@Nullable Object value) {
    if (!TlsKeys.isOn(value)) {
      return Map.of();
    }
    return Map.of(
        "micronaut.server.ssl.enabled",
        true,
        "micronaut.server.ssl.port",
        "${ramet.port}",
        "micronaut.server.ssl.key-name",
        HostCertificate.NAME,
        "micronaut.server.http-version",
        "2.0",
        // A channel for each stream, which is what the data plane is built on.
        "micronaut.server.netty.legacy-multiplex-handlers",
        true);
  }
}
