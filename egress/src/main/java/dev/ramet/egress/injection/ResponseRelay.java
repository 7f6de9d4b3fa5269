// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.injection;

import dev.ramet.egress.message.BadHttpException;
import dev.ramet.egress.stream.ChannelStreams;
import dev.ramet.egress.stream.EndOfInput;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/** The host's side of a guest's requests: forwards responses no faster than the guest reads. */
final class ResponseRelay extends ChannelInboundHandlerAdapter {
  private final RequestInjectionHandler requests;
  private final Channel guest;
  private boolean endSaid;
  private boolean ended;

  ResponseRelay(RequestInjectionHandler requests, Channel guest) {
    this.requests = requests;
    this.guest = guest;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (ended) {
      ReferenceCountUtil.release(message);
    } else if (message instanceof HttpResponse response) {
      requests.response(ctx.channel(), response);
    } else if (message instanceof HttpContent content) {
      boolean cut = ctx.pipeline().get(SslHandler.class) != null && !endSaid;
      requests.content(ctx.channel(), content, cut);
    } else if (message instanceof BadHttpException bad) {
      endResponse(ctx, bad);
    } else if (message == EndOfInput.END) {
      endResponse(ctx, null);
    } else {
      ReferenceCountUtil.release(message);
    }
  }

  private void endResponse(ChannelHandlerContext ctx, @Nullable Throwable problem) {
    if (!ended) {
      ended = true;
      requests.upstreamEnded(ctx.channel(), problem);
      ChannelStreams.close(ctx.channel());
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    guest.flush();
    if (guest.isWritable()) {
      ctx.read();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (ctx.channel().isWritable()) {
      requests.resumeBody();
    }
  }

  /** TLS itself signals that nothing more comes; the decoder learns it from the channel's end. */
  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof SslCloseCompletionEvent closed && closed.isSuccess()) {
      endSaid = true;
      ChannelStreams.close(ctx.channel());
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    endResponse(ctx, null);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    endResponse(ctx, cause);
  }
}
