// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.ssl.SslHandler;

/**
 * The client's end of an exchange: a connection that speaks HTTP/1.1, or one stream of a connection
 * that speaks HTTP/2.
 *
 * @param channel the connection or the stream
 */
record ClientSide(Channel channel) {
  /** Whether others go on when this one ends. */
  boolean isStream() {
    return channel instanceof Http2StreamChannel;
  }

  /** Whether what it sends is encrypted. */
  boolean isSecure() {
    Channel connection = isStream() ? channel.parent() : channel;
    return connection.pipeline().get(SslHandler.class) != null;
  }

  /** Has the close that follows tell that what was sent is no whole answer. */
  void spoil() {
    if (isStream()) {
      Channels.writeAndFlush(channel, new DefaultHttp2ResetFrame(Http2Error.INTERNAL_ERROR));
    } else {
      channel.config().setOption(ChannelOption.SO_LINGER, 0);
    }
  }
}
