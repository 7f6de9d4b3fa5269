// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/** The handler of a connection to a guest: notifies the exchange that uses it. */
final class UpstreamHandler extends ChannelInboundHandlerAdapter {
  /** Receives the events of a connection. */
  interface Listener {
    /** A message arrived; the listener releases it. */
    void upstreamRead(Object message);

    /** All available messages were delivered; the listener decides when to read again. */
    void upstreamReadComplete();

    /** The connection accepts more data. */
    void upstreamWritable();

    /** The guest has ended its output, and still accepts data if half-closure is allowed. */
    default void upstreamEnded() {}

    /** The connection is closed; nothing more arrives. */
    void upstreamGone();
  }

  private @Nullable Listener listener;

  void use(@Nullable Listener user) {
    this.listener = user;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (listener == null) {
      // If a guest sends data unasked on an idle connection, the next request would get it as its
      // response.
      ReferenceCountUtil.release(message);
      ChannelWrites.close(ctx);
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
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof ChannelInputShutdownEvent && listener != null) {
      listener.upstreamEnded();
    }
    ctx.fireUserEventTriggered(event);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    notifyGone();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    // Notifies before the close, which would make a truncated response look complete.
    notifyGone();
    ChannelWrites.close(ctx);
  }

  private void notifyGone() {
    Listener told = listener;
    listener = null;
    if (told != null) {
      told.upstreamGone();
    }
  }
}
