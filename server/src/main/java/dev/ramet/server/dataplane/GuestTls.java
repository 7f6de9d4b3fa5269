// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import io.netty.channel.Channel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import javax.net.ssl.SSLException;

/**
 * TLS between the host and a server in a guest. The certificate is not verified because it proves
 * nothing: the connection never leaves the host, and the guest's creator also created the
 * certificate.
 */
final class GuestTls {
  private static final SslContext CONTEXT = context();

  private GuestTls() {}

  private static SslContext context() {
    try {
      return SslContextBuilder.forClient()
          .sslProvider(SslProvider.JDK)
          .trustManager(InsecureTrustManagerFactory.INSTANCE)
          .endpointIdentificationAlgorithm("")
          .build();
    } catch (SSLException e) {
      throw new RametException(ErrorCode.INTERNAL, "this Java has no TLS", e);
    }
  }

  /** Creates the TLS handler for a channel that is not connected yet. */
  static SslHandler newHandler(Channel channel, int handshakeMillis) {
    SslHandler handler = CONTEXT.newHandler(channel.alloc());
    handler.setHandshakeTimeoutMillis(handshakeMillis);
    return handler;
  }
}
