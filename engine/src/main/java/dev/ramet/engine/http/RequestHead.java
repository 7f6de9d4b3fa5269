// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * The head of a request (RFC 9112, 3). Immutable and thread-safe.
 *
 * @param method such as {@code GET}
 * @param target what is asked for, as it was sent
 * @param version {@code HTTP/1.1} or {@code HTTP/1.0}
 * @param fields its header fields
 */
public record RequestHead(String method, String target, String version, Fields fields) {
  /** A head has so many bytes at most. */
  public static final int MOST_BYTES = 64 << 10;

  /**
   * Reads one to its end, and no byte after it.
   *
   * @return null when nothing came before the end
   * @throws BadHttpException when it is none
   * @throws EOFException when it ends too early
   */
  public static @Nullable RequestHead read(InputStream in) throws IOException {
    Lines lines = new Lines(in, MOST_BYTES);
    String first;
    try {
      first = lines.next();
    } catch (EOFException e) {
      if (lines.begun()) {
        throw e;
      }
      return null;
    }
    String[] words = first.split(" ", -1);
    if (words.length != 3 || !Text.token(words[0]) || !target(words[1])) {
      throw new BadHttpException("no line of a request");
    }
    if (!words[2].equals("HTTP/1.1") && !words[2].equals("HTTP/1.0")) {
      throw new BadHttpException("a version of HTTP that is not 1.1 or 1.0");
    }
    RequestHead head = new RequestHead(words[0], words[1], words[2], Fields.read(lines));
    head.framing();
    return head;
  }

  private static boolean target(String text) {
    return !text.isEmpty() && text.chars().allMatch(c -> c > ' ' && c < 0x7f);
  }

  /** How its body is delimited. */
  public Framing framing() throws BadHttpException {
    Framing framing = fields.framing();
    if (Framing.CHUNKED.equals(framing) && version.equals("HTTP/1.0")) {
      throw new BadHttpException("chunks in HTTP/1.0");
    }
    return framing == null ? Framing.NONE : framing;
  }

  /**
   * The {@code Host} field: a name or an address, perhaps with a port.
   *
   * @throws BadHttpException when there is none, or more than one
   */
  public String host() throws BadHttpException {
    String host = fields.only("Host");
    if (host == null || host.isEmpty()) {
      throw new BadHttpException("a request without Host");
    }
    return host;
  }

  /** The same with other header fields. */
  public RequestHead with(Fields others) {
    return new RequestHead(method, target, version, others);
  }

  /** It as bytes, with the empty line at its end. */
  public byte[] bytes() {
    return fields.after(method + " " + target + " " + version);
  }
}
