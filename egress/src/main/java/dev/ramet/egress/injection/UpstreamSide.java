// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.injection;

import dev.ramet.egress.message.ResponseDecoder;
import dev.ramet.egress.stream.ChannelStreams;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequestEncoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/**
 * Sends the requests of one guest connection to their host, over a connection that is kept while it
 * is usable. Used on the guest's event loop.
 */
final class UpstreamSide {
  private final RequestInjectionHandler requests;
  private final UpstreamConnector connector;
  private final Channel guest;
  private @Nullable UpstreamConnection open;

  UpstreamSide(RequestInjectionHandler requests, UpstreamConnector connector, Channel guest) {
    this.requests = requests;
    this.connector = connector;
    this.guest = guest;
  }

  /** Sends the head of a request; a body follows by {@link #write}. */
  void send(Exchange exchange) {
    UpstreamConnection kept = open;
    if (kept != null && kept.isUsable()) {
      transmit(exchange, kept.channel());
      return;
    }
    drop();
    var unused =
        connector
            .connect(
                new HttpRequestEncoder(), new ResponseDecoder(), new ResponseRelay(requests, guest))
            .whenComplete(
                (made, e) -> {
                  if (e == null) {
                    open = made;
                    transmit(exchange, made.channel());
                  } else {
                    requests.unreached(exchange, e);
                  }
                });
  }

  private void transmit(Exchange exchange, Channel channel) {
    exchange.sent = true;
    channel.pipeline().get(ResponseDecoder.class).expect(exchange.toHead());
    ChannelStreams.write(channel, exchange.request());
    if (!exchange.hasBody()) {
      ChannelStreams.write(channel, LastHttpContent.EMPTY_LAST_CONTENT);
    }
    channel.flush();
    channel.read();
    if (!exchange.retried) {
      requests.demand();
    }
  }

  /**
   * Sends part of a body.
   *
   * @return whether the host can take more now
   */
  boolean write(HttpContent content) {
    UpstreamConnection to = open;
    if (to == null) {
      ReferenceCountUtil.release(content);
      return true;
    }
    ChannelStreams.write(to.channel(), content);
    to.channel().flush();
    return to.channel().isWritable();
  }

  /** Records that the guest sends no more. */
  void endOutput() {
    if (open != null) {
      ChannelStreams.endOutput(open.channel());
    }
  }

  /** Continues to read the response. */
  void read() {
    if (open != null) {
      open.channel().read();
    }
  }

  /** Records that a request was answered completely. */
  void requestCompleted() {
    if (open != null) {
      open.becomeIdle();
    }
  }

  /**
   * Drops the connection that has ended.
   *
   * @return the dropped connection; null if another one is in use
   */
  @Nullable UpstreamConnection dropIfCurrent(Channel channel) {
    UpstreamConnection kept = open;
    if (kept == null || kept.channel() != channel) {
      return null;
    }
    drop();
    return kept;
  }

  /** Resets the connection, so that the host does not take a partial request for a complete one. */
  void drop() {
    UpstreamConnection kept = open;
    open = null;
    if (kept != null) {
      ChannelStreams.reset(kept.channel());
    }
  }
}
