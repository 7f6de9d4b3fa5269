// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/** The guest's end of a connection: tells the exchange that uses it what comes. */
final class UpstreamHandler extends ChannelInboundHandlerAdapter {
  /** What a connection's user hears. */
  interface Listener {
    /** A message came; the listener releases it. */
    void upstreamRead(Object message);

    /** All that had come was told; the listener decides when to read on. */
    void upstreamReadComplete();

    /** More can be written. */
    void upstreamWritable();

    /** The connection is gone; nothing more comes. */
    void upstreamGone();
  }

  private @Nullable Listener listener;

  void use(@Nullable Listener user) {
    this.listener = user;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (listener == null) {
      // A guest that talks unasked on an idle connection would answer the next request wrongly.
      ReferenceCountUtil.release(message);
      Channels.close(ctx);
      return;
    }
    listener.upstreamRead(message);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (listener != null) {
      listener.upstreamReadComplete();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (listener != null && ctx.channel().isWritable()) {
      listener.upstreamWritable();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    gone();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    // Told before the close, which would make a cut-off answer look like a complete one.
    gone();
    Channels.close(ctx);
  }

  private void gone() {
    Listener told = listener;
    listener = null;
    if (told != null) {
      told.upstreamGone();
    }
  }
}
