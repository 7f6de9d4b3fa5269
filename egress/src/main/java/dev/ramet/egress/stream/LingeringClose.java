// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.stream;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;

/**
 * Ends the output to a guest and gives the guest time to read it. Closing a connection that has
 * unread input resets it, and the last response would be lost. The wait is short, because the guest
 * may wait for the end before it closes its own side.
 */
public final class LingeringClose extends ChannelInboundHandlerAdapter {
  private static final Duration TIME = Duration.ofSeconds(2);
  private static final int MAX_IGNORED_BYTES = 1 << 20;

  private int ignored;

  private LingeringClose() {}

  public static void start(Channel guest) {
    if (guest instanceof DuplexChannel duplex && duplex.isInputShutdown()) {
      ChannelStreams.closeAfterWrites(guest);
      return;
    }
    ChannelStreams.replaceHandlers(guest, new LingeringClose());
    ChannelStreams.endConnection(guest);
    var unused = ChannelStreams.schedule(guest, TIME, () -> ChannelStreams.close(guest));
    guest.read();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ignored += message instanceof ByteBuf bytes ? bytes.readableBytes() : 0;
    ReferenceCountUtil.release(message);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (ignored > MAX_IGNORED_BYTES) {
      ChannelStreams.close(ctx.channel());
    } else {
      ctx.read();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof ChannelInputShutdownEvent) {
      ChannelStreams.close(ctx.channel());
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ChannelStreams.close(ctx.channel());
  }
}
