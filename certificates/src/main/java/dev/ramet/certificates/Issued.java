// SPDX-License-Identifier: Apache-2.0
package dev.ramet.certificates;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * A certificate with its chain and its private key. Immutable and thread-safe.
 *
 * @param chain the certificate first, each followed by its issuer's
 * @param key private key of the first certificate
 */
public record Issued(List<X509Certificate> chain, PrivateKey key) {
  /** Copies the list. */
  public Issued {
    chain = List.copyOf(chain);
  }

  /** Returns the certificate itself. */
  public X509Certificate certificate() {
    return chain.get(0);
  }

  /** Returns the certificate's subject, never the key. */
  @Override
  public String toString() {
    return certificate().getSubjectX500Principal().getName();
  }
}
