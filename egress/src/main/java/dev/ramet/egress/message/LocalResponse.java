// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.message;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;

/**
 * A response from this host itself, the last one on its connection.
 *
 * @param status such as 403
 * @param text for the guest and its user
 * @param head whether it responds to a {@code HEAD} request and so has no body
 */
public record LocalResponse(HttpResponseStatus status, String text, boolean head) {
  /** Creates the response to an ambiguous request. */
  public static LocalResponse forError(BadHttpException bad) {
    return new LocalResponse(
        HttpResponseStatus.BAD_REQUEST, String.valueOf(bad.getMessage()), false);
  }

  /** Returns the message as bytes. */
  public ByteBuf bytes() {
    byte[] body = (text + "\n").getBytes(StandardCharsets.UTF_8);
    String lines =
        "HTTP/1.1 "
            + status
            + "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: "
            + body.length
            + "\r\nConnection: close\r\n\r\n";
    byte[] fields = lines.getBytes(StandardCharsets.US_ASCII);
    return head ? Unpooled.wrappedBuffer(fields) : Unpooled.wrappedBuffer(fields, body);
  }
}
