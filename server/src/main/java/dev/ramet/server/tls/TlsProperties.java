// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.tls;

import dev.ramet.certificates.TlsIdentity;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.SettingTypes;
import dev.ramet.spi.settings.Settings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The Micronaut properties that make the host's port speak TLS. */
public final class TlsProperties {
  /** Whether the host speaks TLS. */
  public static final Setting<Mode> TLS =
      Setting.constant(
          "ramet.tls",
          Mode.OFF,
          "ON: the port accepts TLS only, with HTTP/1.1 and HTTP/2. If no certificate is set,"
              + " the host creates one; clients trust it through tls/ca.pem in the data root.");

  /** The operator's certificate; the host makes one unless it is set. */
  public static final Setting<Path> CERTIFICATE =
      Setting.path(
              TlsIdentity.CERTIFICATE_SETTING,
              "A PEM file with the host's certificate, followed by the chain to its authority. The"
                  + " host reads it again when it changes.")
          .orElse("a certificate that the host creates, and renews before it expires")
          .like("/etc/ramet/tls/fullchain.pem");

  /** The key of the operator's certificate. */
  public static final Setting<Path> KEY =
      Setting.path(
              TlsIdentity.KEY_SETTING,
              "A PEM file with the certificate's private key (RSA, EC or EdDSA, unencrypted). It"
                  + " may be the same file. The host reads it again when it changes.")
          .orElse("the key of the certificate that the host creates")
          .like("/etc/ramet/tls/privkey.pem");

  /** More names by which clients reach the host. */
  public static final Setting<List<String>> NAMES =
      Setting.of(
              "ramet.tls-names",
              SettingTypes.NAMES,
              "More names and addresses by which clients reach the host, with or without TLS."
                  + " Requests for other names get 421. A certificate that the host creates covers"
                  + " these names too.")
          .orElse(
              "localhost, 127.0.0.1, ::1, the machine's name, ramet.bind, and ramet.domain with all"
                  + " names below it")
          .like("ramet.example.org");

  /** Whether the host speaks TLS. */
  public enum Mode {
    /** HTTP/1.1 without TLS. */
    OFF,
    /** TLS only, with HTTP/1.1 and HTTP/2. */
    ON
  }

  private TlsProperties() {}

  /** The name by which a listener finds the host's certificate. */
  public static final String KEY_NAME = HostCertificate.NAME;

  /** Returns whether the host speaks TLS. */
  public static boolean isOn(Settings settings) {
    return settings.get(TLS) == Mode.ON;
  }

  /** Returns the Micronaut properties. */
  public static Map<String, Object> properties(Settings settings) {
    if (!isOn(settings)) {
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
