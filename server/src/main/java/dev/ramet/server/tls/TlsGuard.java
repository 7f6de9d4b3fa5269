// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.tls;

import dev.ramet.spi.settings.Settings;
import io.micronaut.context.BeanProvider;
import io.micronaut.context.annotation.Context;

/**
 * Creates and reads the certificate before anything else starts, so that an error in it aborts the
 * start.
 */
@Context
final class TlsGuard {
  TlsGuard(Settings settings, BeanProvider<HostCertificate> certificate) {
    if (TlsProperties.isOn(settings)) {
      certificate.get();
    }
  }
}
