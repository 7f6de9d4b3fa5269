// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.message;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;

/**
 * A response of this host itself, the last on its connection.
 *
 * @param status such as 403
 * @param text for the guest and its user
 * @param head whether it is to a request of {@code HEAD}, so that it has no body
 */
public record LocalResponse(HttpResponseStatus status, String text, boolean head) {
  /** Makes the response to a request that can be understood in different ways. */
  public static LocalResponse to(BadHttpException bad) {
    return new LocalResponse(
        HttpResponseStatus.BAD_REQUEST, String.valueOf(bad.getMessage()), false);
  }

  /** The message as bytes. */
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
