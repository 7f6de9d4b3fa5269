// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.message;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpConstants;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks the syntax of a message's head (RFC 9112, 2 to 5) as its bytes arrive, before it is
 * decoded. Decoders accept more: single line feeds, folded lines, spaces around names. Other
 * programs may then read such a head differently. One object checks one head; used by one thread.
 */
final class HeadSyntax {
  /** The largest head. */
  static final int MAX_BYTES = 64 << 10;

  private static final int MAX_FIELDS = 256;
  private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
  private static final Pattern REQUEST = Pattern.compile(TOKEN + " [!-~]+ HTTP/1\\.[01]");
  private static final Pattern RESPONSE = Pattern.compile("HTTP/1\\.[01] [1-9][0-9]{2}(?: .*)?");
  private static final BitSet NAME = new BitSet();

  static {
    "!#$%&'*+.^_`|~-".chars().forEach(NAME::set);
    NAME.set('0', '9' + 1);
    NAME.set('A', 'Z' + 1);
    NAME.set('a', 'z' + 1);
  }

  private final int from;
  private @Nullable Pattern firstLine;
  private int at;
  private int lineFrom;
  private int fields;
  private boolean afterReturn;
  private boolean named;

  private HeadSyntax(@Nullable Pattern firstLine, int from) {
    this.firstLine = firstLine;
    this.from = from;
    this.at = from;
    this.lineFrom = from;
  }

  static HeadSyntax ofRequest() {
    return new HeadSyntax(REQUEST, 0);
  }

  static HeadSyntax ofResponse() {
    return new HeadSyntax(RESPONSE, 0);
  }

  /** Starts to check trailers, which begin at this offset from the reader index. */
  static HeadSyntax ofTrailers(int from) {
    return new HeadSyntax(null, from);
  }

  /**
   * Checks the bytes that have arrived since the last call. The reader index must not move between
   * calls.
   *
   * @return whether the head is complete
   */
  boolean complete(ByteBuf in) throws BadHttpException {
    int base = in.readerIndex();
    int end = Math.min(in.readableBytes(), from + MAX_BYTES);
    while (at < end) {
      byte b = in.getByte(base + at++);
      if (afterReturn) {
        afterReturn = false;
        if (b != HttpConstants.LF) {
          throw new BadHttpException("a carriage return within a line");
        }
        int length = at - 2 - lineFrom;
        if (length == 0 && firstLine == null) {
          return true;
        }
        endLine(in, base + lineFrom, length);
        lineFrom = at;
      } else {
        check(b);
      }
    }
    if (in.readableBytes() - from >= MAX_BYTES) {
      throw new BadHttpException("a head of more than " + MAX_BYTES + " bytes");
    }
    return false;
  }

  private void check(byte b) throws BadHttpException {
    if (b == HttpConstants.CR) {
      afterReturn = true;
    } else if (b == HttpConstants.LF) {
      throw new BadHttpException("a line that ends without a carriage return");
    } else if ((b >= 0 && b < ' ' && b != '\t') || b == 0x7f) {
      throw new BadHttpException("a control character");
    } else if ((b == ' ' || b == '\t') && at - 1 == lineFrom) {
      throw new BadHttpException("a line that begins with a space");
    } else if (firstLine == null && !named) {
      named = b == ':' && at - 1 > lineFrom;
      if (!named && (b < 0 || !NAME.get(b))) {
        throw new BadHttpException("invalid header field name");
      }
    }
  }

  private void endLine(ByteBuf in, int index, int length) throws BadHttpException {
    Pattern first = firstLine;
    if (first != null) {
      String line = in.toString(index, length, StandardCharsets.ISO_8859_1);
      if (!first.matcher(line).matches()) {
        throw new BadHttpException("the first line is not an HTTP/1.1 request line");
      }
      firstLine = null;
    } else if (++fields > MAX_FIELDS) {
      throw new BadHttpException("more than " + MAX_FIELDS + " header fields");
    } else if (!named) {
      throw new BadHttpException("a header field without a colon");
    }
    named = false;
  }
}
