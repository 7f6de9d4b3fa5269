// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.message;

import dev.ramet.egress.stream.ChannelStreams;
import dev.ramet.egress.stream.EndOfInput;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Decodes a guest's requests and refuses ambiguous ones: the output then ends with a {@link
 * BadHttpException}, otherwise with {@link EndOfInput}. After a request that may change the
 * protocol it waits for {@link #resume}. Used by one event loop.
 */
public final class RequestDecoder extends HttpRequestDecoder {
  /** The time limit for the head of a request, from its first byte. */
  static final Duration TIME_FOR_A_HEAD = Duration.ofSeconds(30);

  private static final int PART_BYTES = 64 << 10;

  private final StrictFraming framing = new StrictFraming(HeadSyntax::ofRequest);
  private final Predicate<HttpRequest> maySwitch;
  private @Nullable ChannelHandlerContext context;
  private @Nullable Future<?> timer;
  private boolean pausing;
  private boolean paused;
  private boolean ended;

  /**
   * Creates a decoder for one connection.
   *
   * @param maySwitch whether bytes other than requests may follow a request
   */
  public RequestDecoder(Predicate<HttpRequest> maySwitch) {
    super(config());
    this.maySwitch = maySwitch;
  }

  static HttpDecoderConfig config() {
    return new HttpDecoderConfig()
        .setMaxInitialLineLength(HeadSyntax.MAX_BYTES)
        .setMaxHeaderSize(HeadSyntax.MAX_BYTES)
        .setMaxChunkSize(PART_BYTES)
        .setAllowDuplicateContentLengths(false)
        .setStrictLineParsing(true)
        .setUseRfc9112TransferEncoding(true);
  }

  /** Decodes a head whose syntax has been checked. */
  static HttpRequest decodeHead(ByteBuf in) throws BadHttpException {
    List<Object> out = new ArrayList<>();
    try {
      new RequestDecoder(request -> true).decode(in, out);
    } catch (BadHttpException e) {
      throw e;
    } catch (Exception e) {
      throw new BadHttpException("malformed: " + e.getClass().getSimpleName());
    }
    if (out.get(0) instanceof HttpRequest request) {
      return request;
    }
    throw out.get(0) instanceof BadHttpException bad ? bad : new BadHttpException("not a request");
  }

  private void decode(ByteBuf in, List<Object> out) throws Exception {
    framing.decode(in, out, () -> super.decode(null, in, out));
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws Exception {
    if (paused) {
      return;
    }
    int before = out.size();
    framing.decode(in, out, () -> super.decode(ctx, in, out));
    for (Object one : out.subList(before, out.size())) {
      if (one instanceof HttpRequest request) {
        pausing = maySwitch.test(request);
      }
      paused |= pausing && one instanceof LastHttpContent;
    }
    watch(ctx);
  }

  private void watch(ChannelHandlerContext ctx) {
    Future<?> running = timer;
    if (framing.inHead() && running == null) {
      Runnable late =
          () ->
              ctx.fireExceptionCaught(new BadHttpException("the head of a request took too long"));
      timer = ChannelStreams.schedule(ctx.channel(), TIME_FOR_A_HEAD, late);
    } else if (!framing.inHead() && running != null) {
      running.cancel(false);
      timer = null;
    }
  }

  /** Returns whether it waits for {@link #resume}. */
  public boolean isPaused() {
    return paused;
  }

  /** Continues with requests after one that did not change the protocol. */
  public void resume() {
    ChannelHandlerContext ctx = context;
    pausing = false;
    paused = false;
    if (ctx != null) {
      try {
        channelRead(ctx, Unpooled.EMPTY_BUFFER);
      } catch (Exception e) {
        ctx.fireExceptionCaught(e);
      }
    }
  }

  /** A request has a body only if its head says so, whatever drafts of WebSocket meant. */
  @Override
  protected boolean isContentAlwaysEmpty(HttpMessage message) {
    return !message.headers().contains(HttpHeaderNames.CONTENT_LENGTH)
        && !message.headers().contains(HttpHeaderNames.TRANSFER_ENCODING);
  }

  @Override
  protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
      throws Exception {
    super.decodeLast(ctx, in, out);
    endInput(out, in.readableBytes());
  }

  private void endInput(List<Object> out, int unread) {
    if (!ended && !paused) {
      ended = true;
      out.add(framing.endOfInput(unread));
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
    if (event instanceof SslCloseCompletionEvent closed && closed.isSuccess()) {
      List<Object> last = new ArrayList<>();
      endInput(last, actualReadableBytes());
      last.forEach(ctx::fireChannelRead);
      ctx.fireChannelReadComplete();
    }
    super.userEventTriggered(ctx, event);
  }

  @Override
  protected void handlerRemoved0(ChannelHandlerContext ctx) throws Exception {
    Future<?> running = timer;
    if (running != null) {
      running.cancel(false);
    }
    super.handlerRemoved0(ctx);
  }
}
