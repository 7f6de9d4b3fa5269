// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * How the body of a message is delimited (RFC 9112, 6). Immutable and thread-safe.
 *
 * @param kind in which way
 * @param lengthBytes for a body of known length
 */
public record Framing(Kind kind, long lengthBytes) {
  /** No body. */
  public static final Framing NONE = new Framing(Kind.LENGTH, 0);

  /** In chunks, each with its length. */
  public static final Framing CHUNKED = new Framing(Kind.CHUNKED, 0);

  /** To the end of the connection; answers only. */
  public static final Framing TO_THE_END = new Framing(Kind.TO_THE_END, 0);

  private static final int BUFFER_BYTES = 16 << 10;
  private static final int MOST_DIGITS = 18;
  private static final int MOST_HEX_DIGITS = 15;
  private static final int CHUNK_LINE_BYTES = 4096;

  /** The ways. */
  public enum Kind {
    /** A number of bytes that is known. */
    LENGTH,
    /** Chunks. */
    CHUNKED,
    /** All that comes. */
    TO_THE_END
  }

  static Framing ofLength(String text) throws BadHttpException {
    boolean digits = text.chars().allMatch(c -> c >= '0' && c <= '9');
    if (text.isEmpty() || !digits || text.length() > MOST_DIGITS) {
      throw new BadHttpException("a Content-Length that is no number");
    }
    return new Framing(Kind.LENGTH, Long.parseLong(text));
  }

  /**
   * Passes a body on as it is, to its last byte and none further. What has arrived is passed on
   * before more is waited for.
   *
   * @throws BadHttpException when its chunks are none
   * @throws EOFException when it ends too early
   */
  public void copy(InputStream in, OutputStream out) throws IOException {
    switch (kind) {
      case LENGTH -> copy(in, out, lengthBytes);
      case CHUNKED -> copyChunks(in, out);
      case TO_THE_END -> {
        byte[] buffer = new byte[BUFFER_BYTES];
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
          out.write(buffer, 0, n);
          out.flush();
        }
      }
    }
  }

  private static void copy(InputStream in, OutputStream out, long bytes) throws IOException {
    byte[] buffer = new byte[(int) Math.min(BUFFER_BYTES, Math.max(1, bytes))];
    long left = bytes;
    while (left > 0) {
      int n = in.read(buffer, 0, (int) Math.min(buffer.length, left));
      if (n < 0) {
        throw new EOFException("it ended within a body");
      }
      out.write(buffer, 0, n);
      out.flush();
      left -= n;
    }
  }

  private static void copyChunks(InputStream in, OutputStream out) throws IOException {
    while (true) {
      String line = new Lines(in, CHUNK_LINE_BYTES).next();
      long size = chunkSize(line);
      out.write((line + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
      if (size == 0) {
        Fields trailers = Fields.read(new Lines(in, RequestHead.MOST_BYTES));
        out.write(trailers.lines());
        out.flush();
        return;
      }
      copy(in, out, size);
      if (!new Lines(in, 2).next().isEmpty()) {
        throw new BadHttpException("a chunk that is longer than it says");
      }
      out.write('\r');
      out.write('\n');
      out.flush();
    }
  }

  private static long chunkSize(String line) throws BadHttpException {
    int end = 0;
    while (end < line.length() && Character.digit(line.charAt(end), 16) >= 0) {
      end++;
    }
    boolean extended = end < line.length();
    if (end == 0 || end > MOST_HEX_DIGITS || (extended && line.charAt(end) != ';')) {
      throw new BadHttpException("a chunk without a length");
    }
    return Long.parseLong(line.substring(0, end), 16);
  }
}
