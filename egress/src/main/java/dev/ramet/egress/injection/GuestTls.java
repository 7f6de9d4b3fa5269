// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.injection;

import dev.ramet.egress.stream.EventLoops;
import io.netty.handler.ssl.SslHandler;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

/** Terminates the TLS of guests, which take this host for their upstream. */
final class GuestTls {
  static final long HANDSHAKE_MILLIS = Duration.ofSeconds(30).toMillis();
  private static final String[] PROTOCOLS = {"http/1.1"};

  private GuestTls() {}

  /** Returns a handler for the guest's side of one connection. */
  static SslHandler handler(SSLContext context) {
    SSLEngine engine = context.createSSLEngine();
    engine.setUseClientMode(false);
    SSLParameters parameters = engine.getSSLParameters();
    parameters.setApplicationProtocols(PROTOCOLS);
    engine.setSSLParameters(parameters);
    SslHandler handler = new SslHandler(engine, EventLoops.blocking());
    handler.setHandshakeTimeoutMillis(HANDSHAKE_MILLIS);
    return handler;
  }
}
