// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.ssl.SslHandler;

/**
 * The client's side of an exchange: an HTTP/1.1 connection or one stream of an HTTP/2 connection.
 *
 * @param channel the connection or the stream
 */
record ClientConnection(Channel channel) {
  /** Returns whether this is a stream, so that the connection survives its end. */
  boolean isStream() {
    return channel instanceof Http2StreamChannel;
  }

  /** Returns whether the connection is encrypted. */
  boolean isSecure() {
    Channel connection = isStream() ? channel.parent() : channel;
    return connection.pipeline().get(SslHandler.class) != null;
  }

  /** Makes the close that follows signal an incomplete response. */
  void markIncomplete() {
    if (isStream()) {
      ChannelWrites.writeAndFlush(channel, new DefaultHttp2ResetFrame(Http2Error.INTERNAL_ERROR));
    } else {
      channel.config().setOption(ChannelOption.SO_LINGER, 0);
    }
  }
}
