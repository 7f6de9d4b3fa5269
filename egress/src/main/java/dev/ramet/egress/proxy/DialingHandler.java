// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.proxy;

import dev.ramet.egress.stream.ChannelStreams;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.util.concurrent.CompletableFuture;

/** Detects the end of a connection to a proxy that has not responded yet. */
final class DialingHandler extends ChannelInboundHandlerAdapter {
  private static final System.Logger LOG = System.getLogger(DialingHandler.class.getName());

  private final CompletableFuture<Channel> opened;

  DialingHandler(CompletableFuture<Channel> opened) {
    this.opened = opened;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof ChannelInputShutdownEvent && !opened.isDone()) {
      ChannelStreams.close(ctx.channel());
    }
  }

  /** The caller learns of the failure from the outcome. */
  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    LOG.log(System.Logger.Level.DEBUG, "a connection to an upstream ends", cause);
  }
}
