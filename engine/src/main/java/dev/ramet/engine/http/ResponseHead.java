// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.http;

import java.io.IOException;
import java.io.InputStream;

/**
 * The head of an answer (RFC 9112, 4). Immutable and thread-safe.
 *
 * @param version {@code HTTP/1.1} or {@code HTTP/1.0}
 * @param status such as 200
 * @param reason in words; may be empty
 * @param fields its header fields
 */
public record ResponseHead(String version, int status, String reason, Fields fields) {
  private static final int STATUS_AT = "HTTP/1.1 ".length();

  /**
   * Reads one to its end, and no byte after it.
   *
   * @throws BadHttpException when it is none
   * @throws java.io.EOFException when it ends too early
   */
  public static ResponseHead read(InputStream in) throws IOException {
    Lines lines = new Lines(in, RequestHead.MOST_BYTES);
    String first = lines.next();
    boolean known = first.startsWith("HTTP/1.1 ") || first.startsWith("HTTP/1.0 ");
    int end = STATUS_AT + 3;
    if (!known
        || first.length() < end
        || !first.substring(STATUS_AT, end).chars().allMatch(c -> c >= '0' && c <= '9')
        || first.charAt(STATUS_AT) == '0'
        || (first.length() > end && first.charAt(end) != ' ')) {
      throw new BadHttpException("no line of an answer");
    }
    return new ResponseHead(
        first.substring(0, STATUS_AT - 1),
        Integer.parseInt(first.substring(STATUS_AT, end)),
        first.length() > end ? first.substring(end + 1) : "",
        Fields.read(lines));
  }

  /** Whether another answer follows to the same request (RFC 9110, 15.2); 101 is the last. */
  public boolean interim() {
    return status < 200 && status != 101;
  }

  /**
   * How its body is delimited.
   *
   * @param method of the request
   */
  public Framing framing(String method) throws BadHttpException {
    if (method.equals("HEAD") || status < 200 || status == 204 || status == 304) {
      return Framing.NONE;
    }
    Framing framing = fields.framing();
    return framing == null ? Framing.TO_THE_END : framing;
  }

  /** The same with other header fields. */
  public ResponseHead with(Fields others) {
    return new ResponseHead(version, status, reason, others);
  }

  /** It as bytes, with the empty line at its end. */
  public byte[] bytes() {
    return fields.after(version + " " + status + " " + reason);
  }
}
