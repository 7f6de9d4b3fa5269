// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.injection;

import dev.ramet.egress.stream.ChannelStreams;
import dev.ramet.egress.stream.InterceptedConnection;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Connects to the upstream of a guest's requests. Used on the guest's event loop. */
final class UpstreamConnector {
  private final String name;
  private final InterceptedConnection connection;
  private final @Nullable UpstreamTls tls;

  /**
   * Creates a connector for one guest connection.
   *
   * @param tls for hosts that speak it, or null
   */
  UpstreamConnector(String name, InterceptedConnection connection, @Nullable UpstreamTls tls) {
    this.name = name;
    this.connection = connection;
    this.tls = tls;
  }

  /** Connects, and performs the TLS handshake if there is one. */
  CompletableFuture<UpstreamConnection> connect(ChannelHandler... handlers) {
    return connection.connect(name).thenCompose(channel -> ready(channel, handlers));
  }

  private CompletableFuture<UpstreamConnection> ready(Channel channel, ChannelHandler... handlers) {
    CompletableFuture<UpstreamConnection> ready = new CompletableFuture<>();
    ChannelStreams.replaceHandlers(channel, handlers);
    UpstreamTls secured = tls;
    if (secured == null) {
      ready.complete(new UpstreamConnection(channel));
      return ready;
    }
    secured
        .start(channel, name)
        .handshakeFuture()
        .addListener(
            shaken -> {
              if (shaken.isSuccess()) {
                ready.complete(new UpstreamConnection(channel));
              } else {
                ready.completeExceptionally(shaken.cause());
              }
            });
    return ready;
  }
}
