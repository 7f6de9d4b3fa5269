// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.message;

import dev.ramet.egress.stream.ChannelStreams;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a guest's first message until its host name is known, and keeps the bytes for the handlers
 * that replace this one. Used by one event loop.
 */
public final class OpeningReader extends ByteToMessageDecoder {
  private final Consumer<ConnectionOpening> decision;
  private @Nullable ClientHello hello;
  private final HeadSyntax head = HeadSyntax.ofRequest();
  private @Nullable Future<?> timer;
  private boolean tls;
  private boolean decided;

  public OpeningReader(Consumer<ConnectionOpening> decision) {
    this.decision = decision;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    timer =
        ChannelStreams.schedule(
            ctx.channel(),
            RequestDecoder.TIME_FOR_A_HEAD,
            () ->
                decide(
                    ConnectionOpening.unreadable(
                        tls, new SocketTimeoutException("the guest sent no host name in time"))));
    ctx.read();
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
    ConnectionOpening opening = decided ? null : read(in);
    if (opening != null) {
      decide(opening);
    }
  }

  /** Returns null while more bytes are needed. */
  private @Nullable ConnectionOpening read(ByteBuf in) {
    try {
      tls = in.getByte(in.readerIndex()) == ClientHello.RECORD;
      if (tls) {
        ClientHello reader = hello == null ? new ClientHello() : hello;
        hello = reader;
        return reader.complete(in) ? ConnectionOpening.ofTls(reader.serverName()) : null;
      }
      return head.complete(in)
          ? ConnectionOpening.ofHttp(RequestDecoder.decodeHead(in.slice()))
          : null;
    } catch (IOException e) {
      return ConnectionOpening.unreadable(tls, e);
    }
  }

  @Override
  protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
    decide(ConnectionOpening.unreadable(tls, new EOFException("the guest sent no host name")));
  }

  private void decide(ConnectionOpening opening) {
    if (!decided) {
      decided = true;
      stopTimer();
      decision.accept(opening);
    }
  }

  private void stopTimer() {
    Future<?> running = timer;
    if (running != null) {
      running.cancel(false);
    }
  }

  /** Nothing more is read until the connection to the host is open. */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (!decided) {
      ctx.read();
    }
  }

  @Override
  protected void handlerRemoved0(ChannelHandlerContext ctx) {
    decided = true;
    stopTimer();
  }
}
