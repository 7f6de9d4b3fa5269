// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.ReferenceCountUtil;

/**
 * Copies bytes in both directions after a change of protocol, each side read only as fast as the
 * other accepts them.
 */
class Tunnel implements UpstreamHandler.Listener {
  private final ChannelHandlerContext client;
  private final Channel upstream;

  Tunnel(ChannelHandlerContext client, Channel upstream) {
    this.client = client;
    this.upstream = upstream;
  }

  /** Takes both connections over from their HTTP codecs. */
  void start() {
    upstream.pipeline().get(UpstreamHandler.class).use(this);
    // A removed codec passes on the data it has buffered, which must not reach the other codec.
    ChannelHandlerContext guestCodec = upstream.pipeline().context(HttpClientCodec.class);
    ((HttpClientCodec) guestCodec.handler()).prepareUpgradeFrom(guestCodec);
    client.pipeline().remove(HttpServerCodec.class);
    upstream.pipeline().remove(HttpClientCodec.class);
    upstream.read();
    client.read();
  }

  void clientRead(Object message) {
    forward(message, upstream);
  }

  void clientReadComplete() {
    upstream.flush();
    if (upstream.isWritable()) {
      client.read();
    }
  }

  void clientWritable() {
    if (client.channel().isWritable()) {
      upstream.read();
    }
  }

  void clientGone() {
    ChannelWrites.closeAfterFlush(upstream);
  }

  @Override
  public void upstreamRead(Object message) {
    if (message instanceof ByteBuf) {
      ChannelWrites.write(client, message);
    } else {
      ReferenceCountUtil.release(message);
    }
  }

  @Override
  public void upstreamReadComplete() {
    client.flush();
    if (client.channel().isWritable()) {
      upstream.read();
    }
  }

  @Override
  public void upstreamWritable() {
    client.read();
  }

  @Override
  public void upstreamGone() {
    ChannelWrites.closeAfterFlush(client);
  }

  private static void forward(Object message, Channel to) {
    // The last empty messages of the codecs may still arrive; they are ignored.
    if (message instanceof ByteBuf) {
      ChannelWrites.write(to, message);
    } else {
      ReferenceCountUtil.release(message);
    }
  }
}
