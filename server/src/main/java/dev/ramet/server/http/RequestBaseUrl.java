// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.http;

import dev.ramet.errors.RametException;
import dev.ramet.server.tls.TlsProperties;
import dev.ramet.spi.settings.Settings;
import io.micronaut.http.HttpRequest;
import jakarta.inject.Singleton;
import java.util.regex.Pattern;

/**
 * Finds the address under which a client reaches this host, from the client's request. Thread-safe.
 */
@Singleton
public final class RequestBaseUrl {
  private static final Pattern HOST =
      Pattern.compile("(\\[[0-9A-Fa-f:.%]+]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?");

  private final boolean tls;

  RequestBaseUrl(Settings settings) {
    this.tls = TlsProperties.isOn(settings);
  }

  /**
   * Returns scheme and host of a request. A proxy that terminates TLS states the scheme in a
   * header.
   *
   * @throws RametException {@code INVALID_ARGUMENT} when the request does not name the host
   */
  public String baseUrl(HttpRequest<?> request) {
    String host = request.getHeaders().get("Host");
    if (host == null || !HOST.matcher(host).matches()) {
      throw RametException.invalid("Host", "the request must name a host");
    }
    String forwarded = request.getHeaders().get("X-Forwarded-Proto");
    boolean secure = tls || "https".equalsIgnoreCase(forwarded);
    return (secure ? "https://" : "http://") + host;
  }
}
