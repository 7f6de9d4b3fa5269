// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.injection;

import dev.ramet.egress.proxy.EventLoops;
import dev.ramet.egress.proxy.InterceptedConnection;
import dev.ramet.egress.proxy.RequestDecoder;
import dev.ramet.egress.proxy.RequestInterceptor;
import dev.ramet.egress.proxy.Streams;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.ssl.SslHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Puts headers into the requests of one sandbox's guest by its rules: ends its TLS where there is
 * some, and sends each request on by a connection of this host. Thread-safe.
 */
public final class HeaderInjector implements RequestInterceptor {
  private final HeaderSource headers;
  private final GuestCertificates certificates;
  private final UpstreamTls upstreamTls;

  /**
   * Rules at work.
   *
   * @param headers that the rules put into requests
   * @param certificates for names that the guest asks
   * @param upstreamTls for the hosts of these names
   */
  public HeaderInjector(
      HeaderSource headers, GuestCertificates certificates, UpstreamTls upstreamTls) {
    this.headers = headers;
    this.certificates = certificates;
    this.upstreamTls = upstreamTls;
  }

  @Override
  public boolean concerns(String name) {
    return headers.concerns(name);
  }

  @Override
  public void intercept(String name, boolean tls, InterceptedConnection connection) {
    Channel guest = connection.guest();
    if (!tls) {
      serve(name, connection, null);
      return;
    }
    CompletableFuture<SSLContext> made =
        CompletableFuture.supplyAsync(() -> certificates.context(name), EventLoops.blocking());
    var unused =
        made.whenCompleteAsync(
            (context, e) -> {
              if (e != null || !guest.isActive()) {
                connection.reset();
                return;
              }
              serve(name, connection, GuestTls.handler(context));
            },
            guest.eventLoop());
  }

  private void serve(String name, InterceptedConnection connection, @Nullable SslHandler guestTls) {
    UpstreamConnector connector =
        new UpstreamConnector(name, connection, guestTls == null ? null : upstreamTls);
    InjectedRequests requests = new InjectedRequests(name, headers, connection, connector);
    List<ChannelHandler> handlers = new ArrayList<>();
    if (guestTls != null) {
      handlers.add(guestTls);
    }
    handlers.add(new RequestDecoder(RequestRewriting::webSocket));
    handlers.add(new FlowControlHandler());
    handlers.add(new ResponseEncoder(requests::toHead));
    handlers.add(requests);
    Streams.take(connection.guest(), handlers.toArray(new ChannelHandler[0]));
  }
}
