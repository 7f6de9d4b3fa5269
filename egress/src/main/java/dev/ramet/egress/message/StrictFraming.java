// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.message;

import dev.ramet.egress.stream.EndOfInput;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpConstants;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Wraps a Netty decoder: passes on a head, a chunk size line or trailers only when they are
 * complete and well-formed, and then checks that the end of the body is announced in one way only.
 * Used by one thread.
 */
final class StrictFraming {
  private static final int MAX_CHUNK_LINE_BYTES = 4096;
  private static final Pattern CHUNK =
      Pattern.compile("([0-9A-Fa-f]{1,15})(?:;[\t -~\u0080-\u00ff]*)?\r\n");
  private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");

  private final Supplier<HeadSyntax> syntax;
  private Part part = Part.HEAD;
  private @Nullable HeadSyntax head;
  private @Nullable HeadSyntax trailers;
  private long chunkBytes;
  private boolean broken;

  private enum Part {
    HEAD,
    BODY,
    CHUNKS,
    OTHER_PROTOCOL
  }

  StrictFraming(Supplier<HeadSyntax> syntax) {
    this.syntax = syntax;
  }

  /** Returns whether a message has begun but not ended, as far as it was decoded. */
  boolean inMessage() {
    return part == Part.BODY || part == Part.CHUNKS;
  }

  /** Returns whether a head has begun but not ended. */
  boolean inHead() {
    return part == Part.HEAD && head != null;
  }

  /** A Netty decoder. */
  interface Decoder {
    void decode() throws Exception;
  }

  /**
   * Runs a decoder while its input is well-formed. Otherwise a {@link BadHttpException} ends the
   * output, after the messages before the defect.
   */
  void decode(ByteBuf in, List<Object> out, Decoder decoder) throws Exception {
    int bytes = in.readableBytes();
    int objects = out.size();
    try {
      if (broken) {
        in.skipBytes(bytes);
      } else if (ready(in)) {
        decoder.decode();
        decoded(bytes - in.readableBytes(), out.subList(objects, out.size()));
      }
    } catch (BadHttpException e) {
      broken = true;
      List<Object> made = out.subList(objects, out.size());
      made.forEach(ReferenceCountUtil::release);
      made.clear();
      in.skipBytes(in.readableBytes());
      out.add(e);
    }
  }

  /**
   * Returns the last object of an input.
   *
   * @param unread the bytes that were not decoded
   */
  Object endOfInput(int unread) {
    boolean within = inMessage() || (part == Part.HEAD && unread > 0);
    return within && !broken
        ? new BadHttpException("the connection ended within a message")
        : EndOfInput.END;
  }

  /** Returns whether the decoder may continue with these bytes; otherwise more are needed. */
  private boolean ready(ByteBuf in) throws BadHttpException {
    return switch (part) {
      case HEAD -> {
        HeadSyntax now = head;
        if (now == null) {
          now = syntax.get();
          head = now;
        }
        yield now.complete(in);
      }
      case CHUNKS -> chunkBytes > 0 || chunk(in);
      case BODY, OTHER_PROTOCOL -> true;
    };
  }

  private boolean chunk(ByteBuf in) throws BadHttpException {
    int from = in.readerIndex();
    int most = Math.min(in.readableBytes(), MAX_CHUNK_LINE_BYTES);
    int end = in.indexOf(from, from + most, HttpConstants.LF);
    if (end < 0) {
      if (most == MAX_CHUNK_LINE_BYTES) {
        throw new BadHttpException("a chunk size with too many digits");
      }
      return false;
    }
    int length = end + 1 - from;
    Matcher line = CHUNK.matcher(in.toString(from, length, StandardCharsets.ISO_8859_1));
    if (!line.matches()) {
      throw new BadHttpException("invalid chunk size");
    }
    long size = Long.parseLong(line.group(1), 16);
    if (size > 0) {
      chunkBytes = length + size + 2;
      return true;
    }
    HeadSyntax last = trailers;
    if (last == null) {
      last = HeadSyntax.ofTrailers(length);
      trailers = last;
    }
    if (!last.complete(in)) {
      return false;
    }
    chunkBytes = Long.MAX_VALUE; // All of it is there.
    return true;
  }

  /**
   * Follows the objects that the decoder produced.
   *
   * @param bytes the bytes that it has read
   */
  private void decoded(int bytes, List<?> objects) throws BadHttpException {
    chunkBytes -= part == Part.CHUNKS ? bytes : 0;
    for (Object one : objects) {
      if (one instanceof HttpObject object && object.decoderResult().isFailure()) {
        throw new BadHttpException(reason(object.decoderResult()));
      }
      if (one instanceof HttpMessage message) {
        head = null;
        part = bodyKind(message);
      }
      if (one instanceof LastHttpContent && part != Part.OTHER_PROTOCOL) {
        trailers = null;
        chunkBytes = 0;
        part = Part.HEAD;
      }
    }
  }

  private static String reason(DecoderResult result) {
    Throwable cause = result.cause();
    return "malformed: " + (cause == null ? "" : cause.getClass().getSimpleName());
  }

  private static Part bodyKind(HttpMessage message) throws BadHttpException {
    if (message instanceof HttpResponse response
        && response.status().equals(HttpResponseStatus.SWITCHING_PROTOCOLS)) {
      return Part.OTHER_PROTOCOL;
    }
    List<String> lengths = message.headers().getAll(HttpHeaderNames.CONTENT_LENGTH);
    List<String> codings = message.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
    if (lengths.size() > 1 || (!lengths.isEmpty() && !codings.isEmpty())) {
      throw new BadHttpException("more than one body length");
    }
    if (!lengths.isEmpty() && !LENGTH.matcher(lengths.get(0)).matches()) {
      throw new BadHttpException("invalid Content-Length");
    }
    if (codings.isEmpty()) {
      return Part.BODY;
    }
    if (codings.size() > 1
        || !HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(codings.get(0))
        || !message.protocolVersion().equals(HttpVersion.HTTP_1_1)) {
      throw new BadHttpException("a Transfer-Encoding other than chunked");
    }
    return HttpUtil.isTransferEncodingChunked(message) ? Part.CHUNKS : Part.BODY;
  }
}
