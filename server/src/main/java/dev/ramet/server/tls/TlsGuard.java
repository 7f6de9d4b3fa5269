// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.tls;

import dev.ramet.server.settings.TlsSettings;
import io.micronaut.context.BeanProvider;
import io.micronaut.context.annotation.Context;

/** Has the certificate made and read before anything else starts, which then fails with it. */
@Context
final class TlsGuard {
  TlsGuard(TlsSettings settings, BeanProvider<HostCertificate> certificate) {
    if (settings.tls() == TlsSettings.Mode.ON) {
      certificate.get();
    }
  }
}
