// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.timeout.IdleState;
import io.netty.handler.timeout.IdleStateEvent;

/**
 * Closes an HTTP/2 connection without pending requests after a long idle time or when the host
 * stops. Clients need not close a connection after GOAWAY, and many keep it open.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9113#section-6.8">RFC 9113, GOAWAY</a>
 */
final class IdleConnection extends ChannelInboundHandlerAdapter {
  private final Http2FrameCodec codec;

  IdleConnection(Http2FrameCodec codec) {
    this.codec = codec;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    codec.connection().addListener(new Announced(ctx));
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof IdleStateEvent idle && idle.state() == IdleState.ALL_IDLE) {
      closeUnlessUsed(ctx);
    }
    ctx.fireUserEventTriggered(event);
  }

  private void closeUnlessUsed(ChannelHandlerContext ctx) {
    if (codec.connection().numActiveStreams() == 0) {
      ChannelWrites.close(ctx);
    }
  }

  /** Requests after the last one named in GOAWAY were not processed, and their client knows it. */
  private final class Announced extends Http2ConnectionAdapter {
    private final ChannelHandlerContext ctx;

    Announced(ChannelHandlerContext ctx) {
      this.ctx = ctx;
    }

    @Override
    public void onGoAwaySent(int lastStream, long error, ByteBuf debug) {
      closeSoon();
    }

    @Override
    public void onStreamRemoved(Http2Stream stream) {
      if (codec.connection().goAwaySent()) {
        closeSoon();
      }
    }

    /** Closes after the current event, which is the sending of GOAWAY itself. */
    private void closeSoon() {
      ChannelWrites.schedule(ctx.executor(), 0, () -> closeUnlessUsed(ctx));
    }
  }
}
