// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.tls;

import dev.ramet.server.settings.TlsSettings;
import io.micronaut.context.BeanProvider;
import io.micronaut.context.annotation.Context;

/**
 * Creates and reads the certificate before anything else starts, so that an error in it aborts the
 * start.
 */
@Context
final class TlsGuard {
  TlsGuard(TlsSettings settings, BeanProvider<HostCertificate> certificate) {
    if (settings.tls() == TlsSettings.Mode.ON) {
      certificate.get();
    }
  }
}
