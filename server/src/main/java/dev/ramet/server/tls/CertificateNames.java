// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.tls;

import dev.ramet.spi.settings.Settings;
import io.micronaut.context.BeanProvider;
import jakarta.inject.Singleton;

/** The DNS names in the host's certificate; empty for a host without TLS. Thread-safe. */
@Singleton
public final class CertificateNames {
  private final boolean tls;
  private final BeanProvider<HostCertificate> certificate;

  CertificateNames(Settings settings, BeanProvider<HostCertificate> certificate) {
    this.tls = TlsProperties.isOn(settings);
    this.certificate = certificate;
  }

  /**
   * Returns whether the certificate covers a name (RFC 6125, section 6.4: an asterisk stands for
   * one label).
   *
   * @param name in lower case
   */
  public boolean cover(String name) {
    if (!tls) {
      return false;
    }
    int dot = name.indexOf('.');
    String wildcard = dot < 0 ? null : "*" + name.substring(dot);
    for (String known : certificate.get().names()) {
      if (known.equals(name) || known.equals(wildcard)) {
        return true;
      }
    }
    return false;
  }
}
