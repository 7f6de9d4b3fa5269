// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.http;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.settings.HostSettings;
import dev.ramet.server.tls.CertificateNames;
import dev.ramet.server.tls.TlsProperties;
import dev.ramet.spi.settings.Settings;
import io.netty.util.NetUtil;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names that clients may use for this host. A web page can point its own name at this host (DNS
 * rebinding); a browser then treats the page and the API as one origin. The name in the request
 * reveals such a page, so a request for any other name is refused.
 *
 * <p>Accepted are IP addresses, {@code localhost} and names below it, {@code ramet.bind}, {@code
 * ramet.domain} and names below it, and {@code ramet.tls-names}. A host that speaks TLS also
 * accepts the names in its certificate, which a browser has already verified. Thread-safe.
 */
@Singleton
public final class AcceptedHosts {
  private static final String LOCAL = "localhost";
  private static final int MAX_SHOWN = 100;

  /** RFC 3986, section 3.2, without user information; the port may be empty there. */
  private static final Pattern AUTHORITY =
      Pattern.compile(
          "(?:\\[([0-9A-Fa-f:.]+)(?:%[A-Za-z0-9._~%-]+)?]|([^:/?#@\\[\\]\\s]+))(?::\\d{0,5})?");

  private final List<NamePattern> names = new ArrayList<>();
  private final CertificateNames certificate;

  AcceptedHosts(Settings settings, CertificateNames certificate) {
    this.certificate = certificate;
    names.add(NamePattern.withBelow(LOCAL));
    names.add(NamePattern.parse(settings.get(HostSettings.BIND)));
    settings
        .find(HostSettings.DOMAIN)
        .ifPresent(domain -> names.add(NamePattern.withBelow(domain.replaceFirst(":\\d+$", ""))));
    settings
        .find(TlsProperties.NAMES)
        .orElse(List.of())
        .forEach(name -> names.add(NamePattern.parse(name)));
  }

  /**
   * Checks the host name of a request.
   *
   * @param authority a {@code Host} header, an {@code :authority}, or the authority of a request
   *     target, with or without a port
   * @throws RametException {@code MISDIRECTED} unless this host accepts it
   */
  public void check(String authority) {
    Matcher matcher = AUTHORITY.matcher(authority);
    if (matcher.matches()) {
      String address = matcher.group(1);
      if (address != null ? NetUtil.isValidIpV6Address(address) : accepts(matcher.group(2))) {
        return;
      }
    }
    throw new RametException(
        ErrorCode.MISDIRECTED,
        "this host does not serve the name " + printable(authority),
        "use an IP address or localhost, or add the name to ramet.tls-names on the host;"
            + " sandboxes have names below ramet.domain",
        null);
  }

  private boolean accepts(String written) {
    String name = written.toLowerCase(Locale.ROOT);
    if (NetUtil.isValidIpV4Address(name)) {
      return true;
    }
    if (name.endsWith(".")) {
      name = name.substring(0, name.length() - 1);
    }
    for (NamePattern pattern : names) {
      if (pattern.matches(name)) {
        return true;
      }
    }
    return certificate.cover(name);
  }

  /** Returns the name in printable form, because it is untrusted and goes to terminals and logs. */
  private static String printable(String authority) {
    return authority
        .substring(0, Math.min(authority.length(), MAX_SHOWN))
        .replaceAll("[^\\x20-\\x7e]", "?");
  }
}
