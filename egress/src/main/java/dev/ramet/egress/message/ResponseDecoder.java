// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.message;

import dev.ramet.egress.stream.EndOfInput;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.List;

/**
 * Decodes a host's responses as strictly as {@link RequestDecoder} decodes requests. Used by one
 * event loop.
 */
public final class ResponseDecoder extends HttpResponseDecoder {
  private final StrictFraming framing = new StrictFraming(HeadSyntax::ofResponse);
  private boolean toHead;
  private boolean ended;

  /** Creates a decoder for one connection. */
  public ResponseDecoder() {
    super(RequestDecoder.config());
  }

  /**
   * Sets the request that the next response belongs to.
   *
   * @param head whether the request's method is {@code HEAD}, so that no body follows
   */
  public void expect(boolean head) {
    toHead = head;
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws Exception {
    framing.decode(in, out, () -> super.decode(ctx, in, out));
  }

  @Override
  protected boolean isContentAlwaysEmpty(HttpMessage message) {
    return toHead
        || (message instanceof HttpResponse response
            && response.status().code() < HttpResponseStatus.OK.code())
        || super.isContentAlwaysEmpty(message);
  }

  /** A response without a length is complete when the connection ends. */
  @Override
  protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
      throws Exception {
    int before = out.size();
    super.decodeLast(ctx, in, out);
    boolean whole = out.size() > before && out.get(out.size() - 1) instanceof LastHttpContent;
    if (!ended) {
      ended = true;
      out.add(whole ? EndOfInput.END : framing.endOfInput(in.readableBytes()));
    }
  }
}
