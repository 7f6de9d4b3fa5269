// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.injection;

import javax.net.ssl.SSLContext;

/** Makes certificates that guests trust. Thread-safe. */
@FunctionalInterface
public interface GuestCertificates {
  /**
   * A context that shows a certificate for a name to clients. May take its time.
   *
   * @param name of a host, checked
   */
  SSLContext context(String name);
}
