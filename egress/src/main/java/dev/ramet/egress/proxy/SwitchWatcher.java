// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.proxy;

import dev.ramet.egress.message.BadHttpException;
import dev.ramet.egress.stream.ByteForwarder;
import dev.ramet.egress.stream.ChannelStreams;
import dev.ramet.egress.stream.EndOfInput;
import dev.ramet.egress.stream.InterceptedConnection;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;

/** Forwards the responses to a WebSocket request, up to the one that accepts or declines it. */
final class SwitchWatcher extends ChannelInboundHandlerAdapter {
  private final InterceptedConnection connection;
  private final Runnable declined;

  /**
   * Creates a watcher on the host's side.
   *
   * @param declined runs if the host continues with HTTP
   */
  SwitchWatcher(InterceptedConnection connection, Runnable declined) {
    this.connection = connection;
    this.declined = declined;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof HttpResponse response) {
      Channel guest = connection.guest();
      ChannelStreams.write(guest, bytes(response));
      guest.flush();
      if (response.status().equals(HttpResponseStatus.SWITCHING_PROTOCOLS)) {
        ChannelStreams.replaceHandlers(ctx.channel(), new ByteForwarder(guest, connection));
        ChannelStreams.replaceHandlers(guest, new ByteForwarder(ctx.channel(), connection));
      } else if (response.status().codeClass() != HttpStatusClass.INFORMATIONAL) {
        declined.run();
      }
    } else if (message instanceof BadHttpException || message == EndOfInput.END) {
      connection.reset();
    } else {
      ReferenceCountUtil.release(message); // the end of a response without a body
    }
  }

  private static ByteBuf bytes(HttpResponse response) {
    StringBuilder text = new StringBuilder();
    text.append(response.protocolVersion()).append(' ').append(response.status()).append("\r\n");
    response
        .headers()
        .forEach(
            field ->
                text.append(field.getKey()).append(": ").append(field.getValue()).append("\r\n"));
    return Unpooled.copiedBuffer(text.append("\r\n"), StandardCharsets.ISO_8859_1);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    ctx.read();
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
