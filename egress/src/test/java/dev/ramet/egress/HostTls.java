// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress;

import dev.ramet.certificates.Certificates;
import dev.ramet.certificates.Issued;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** The TLS of a host that a test runs. */
public final class HostTls {
  private HostTls() {}

  /** Returns the TLS context of a server, with a certificate of a day that the authority signs. */
  public static SSLContext context(Issued authority, String name)
      throws GeneralSecurityException, IOException {
    Issued host = Certificates.host(authority, "x", List.of(name), List.of(), Duration.ofDays(1));
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry("x", host.key(), new char[0], host.chain().toArray(new Certificate[0]));
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, new char[0]);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }
}
