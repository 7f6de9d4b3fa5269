// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.headers;

import dev.ramet.certificates.GuestAuthority;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** Ends the TLS of guests, who take this host for the one that they ask. Thread-safe. */
final class GuestTls {
  private static final String[] PROTOCOLS = {"http/1.1"};

  private final GuestAuthority authority;

  GuestTls(GuestAuthority authority) {
    this.authority = authority;
  }

  /**
   * Shakes hands with a guest.
   *
   * @param name what the certificate is for
   * @return the guest's side; closing it says so to the guest and leaves the streams open
   * @throws IOException when the guest does not like something
   */
  SSLSocket accept(String name, InputStream fromGuest, OutputStream toGuest) throws IOException {
    SSLSocket socket =
        (SSLSocket)
            authority
                .context(name)
                .getSocketFactory()
                .createSocket(new StreamSocket(fromGuest, toGuest), name, 0, false);
    socket.setUseClientMode(false);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setApplicationProtocols(PROTOCOLS);
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    return socket;
  }
}
