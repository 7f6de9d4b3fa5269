// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;

/**
 * A tunnel with {@link TunnelFrames}: a side that ends its output still receives that of the other.
 * A connection to the client that is lost without an end ends both directions.
 */
final class HalfClosingTunnel extends Tunnel {
  private final ChannelHandlerContext client;
  private final Channel upstream;
  private final ChannelHandlerContext wire;
  private boolean clientEnded;
  private boolean upstreamEnded;
  private boolean finished;

  HalfClosingTunnel(ChannelHandlerContext client, Channel upstream) {
    super(client, upstream);
    this.client = client;
    this.upstream = upstream;
    upstream.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    // The HTTP codec passes its buffered bytes to the next handler when it is removed.
    wire = TunnelFrames.addBefore(client);
  }

  @Override
  void clientRead(Object message) {
    if (!(message instanceof ByteBuf bytes)) {
      ReferenceCountUtil.release(message);
    } else if (clientEnded) {
      bytes.release();
      ChannelWrites.close(client); // bytes after the end
    } else if (bytes.isReadable()) {
      ChannelWrites.write(upstream, bytes);
    } else {
      bytes.release();
      clientEnded = true;
      endOutput();
    }
  }

  private void endOutput() {
    if (upstreamEnded) {
      finish();
    } else if (upstream instanceof DuplexChannel duplex) {
      ChannelWrites.shutdownOutputAfterFlush(duplex);
    }
  }

  @Override
  void clientReadComplete() {
    upstream.flush();
    // After its end, reads only to notice that the client disconnects.
    if (clientEnded || upstream.isWritable()) {
      client.read();
    }
  }

  @Override
  public void upstreamEnded() {
    if (upstreamEnded || finished) {
      return;
    }
    upstreamEnded = true;
    ChannelWrites.writeAndFlush(client, Unpooled.EMPTY_BUFFER);
    if (clientEnded) {
      finish();
    }
  }

  private void finish() {
    finished = true;
    ChannelWrites.closeAfterFlush(wire);
    ChannelWrites.closeAfterFlush(upstream);
  }

  @Override
  void clientGone() {
    finished = true;
    super.clientGone();
  }

  @Override
  public void upstreamGone() {
    if (!finished) {
      finished = true;
      ChannelWrites.closeAfterFlush(wire); // without the frame that would end the direction
    }
  }
}
