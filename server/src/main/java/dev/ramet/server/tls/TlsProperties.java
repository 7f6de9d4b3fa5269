// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.tls;

import dev.ramet.server.config.TlsKeys;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The Micronaut properties that make the host's port speak TLS. */
public final class TlsProperties {
  private TlsProperties() {}

  /** The name by which a listener finds the host's certificate. */
  public static final String KEY_NAME = HostCertificate.NAME;

  /**
   * Returns the Micronaut properties.
   *
   * @param value the value of the setting, or null
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
        // A channel for each stream, as the data plane requires.
        "micronaut.server.netty.legacy-multiplex-handlers",
        true);
  }
}
