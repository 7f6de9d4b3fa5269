// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.stream;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;

/**
 * Forwards the bytes of one side to the other no faster than the other side reads, and then the end
 * of its input. Both sides are on one event loop.
 */
public final class ByteForwarder extends ChannelInboundHandlerAdapter {
  private final Channel to;
  private final InterceptedConnection connection;
  private boolean ended;

  /**
   * Creates a forwarder for one direction.
   *
   * @param to the other side
   * @param connection the connection that both sides belong to
   */
  public ByteForwarder(Channel to, InterceptedConnection connection) {
    this.to = to;
    this.connection = connection;
  }

  /** Starts; bytes that other handlers have read may come before the first read. */
  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    if (ctx.channel() instanceof DuplexChannel duplex && duplex.isInputShutdown()) {
      ctx.executor().execute(this::endOutput);
    } else {
      ctx.read();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof ByteBuf bytes) {
      ChannelStreams.write(to, bytes);
    } else {
      ReferenceCountUtil.release(message);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    to.flush();
    if (to.isWritable()) {
      ctx.read();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (ctx.channel().isWritable()) {
      to.read();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof SslCloseCompletionEvent closed && closed.isSuccess()) {
      endOutput();
    } else if (event instanceof ChannelInputShutdownEvent) {
      if (!ended && ctx.pipeline().get(SslHandler.class) != null) {
        connection.reset(); // TLS has its own closing message.
      } else {
        endOutput();
      }
    }
  }

  private void endOutput() {
    if (!ended) {
      ended = true;
      ChannelStreams.endOutput(to);
      connection.sideEnded();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    connection.reset();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    connection.reset();
  }
}
