// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.injection;

import dev.ramet.certificates.GuestAuthority;
import dev.ramet.egress.message.RequestDecoder;
import dev.ramet.egress.proxy.RequestInterceptor;
import dev.ramet.egress.rule.RequestRules;
import dev.ramet.egress.stream.ChannelStreams;
import dev.ramet.egress.stream.EventLoops;
import dev.ramet.egress.stream.InterceptedConnection;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.ssl.SslHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Puts headers into the requests of one sandbox's guest, as its rules say: terminates its TLS, if
 * any, and forwards each request over a connection of this host. Thread-safe.
 */
final class HeaderInjector implements RequestInterceptor {
  private final RequestRules rules;
  private final Function<String, @Nullable String> secrets;
  private final GuestAuthority certificates;
  private final UpstreamTls upstreamTls;

  /**
   * Creates the injector of a sandbox.
   *
   * @param rules of the sandbox
   * @param secrets returns the value of a secret by its id or name, or null if there is none
   * @param certificates issues certificates for the names that the guest connects to
   * @param upstreamTls for the hosts of these names
   */
  HeaderInjector(
      RequestRules rules,
      Function<String, @Nullable String> secrets,
      GuestAuthority certificates,
      UpstreamTls upstreamTls) {
    this.rules = rules;
    this.secrets = secrets;
    this.certificates = certificates;
    this.upstreamTls = upstreamTls;
  }

  @Override
  public boolean intercepts(String name) {
    return rules.headers(name) != null;
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
    Map<String, String> texts = Objects.requireNonNullElse(rules.headers(name), Map.of());
    RequestInjectionHandler requests =
        new RequestInjectionHandler(
            name, new InjectedHeaders(texts, secrets), connection, connector);
    List<ChannelHandler> handlers = new ArrayList<>();
    if (guestTls != null) {
      handlers.add(guestTls);
    }
    handlers.add(new RequestDecoder(RequestRewriting::webSocket));
    handlers.add(new FlowControlHandler());
    handlers.add(new ResponseEncoder(requests::toHead));
    handlers.add(requests);
    ChannelStreams.replaceHandlers(connection.guest(), handlers.toArray(new ChannelHandler[0]));
  }
}
