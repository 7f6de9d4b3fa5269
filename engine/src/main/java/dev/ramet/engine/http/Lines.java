// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/** Reads lines that end in CR and LF, so many bytes of them at most. Used by one thread. */
final class Lines {
  private final InputStream in;
  private final StringBuilder line = new StringBuilder();
  private int left;
  private boolean begun;

  /**
   * A reader.
   *
   * @param most bytes of all lines together
   */
  Lines(InputStream in, int most) {
    this.in = in;
    this.left = most;
  }

  /** Whether any byte was read. */
  boolean begun() {
    return begun;
  }

  /**
   * The next line without its end.
   *
   * @throws BadHttpException when it ends otherwise, is too long, or has what no line has
   * @throws EOFException when what is read ends before the line does
   */
  String next() throws IOException {
    line.setLength(0);
    while (true) {
      int c = read();
      if (c == '\r') {
        if (read() != '\n') {
          throw new BadHttpException("a carriage return that ends no line");
        }
        return line.toString();
      }
      if (c == '\n') {
        throw new BadHttpException("a line that ends without a carriage return");
      }
      if ((c < ' ' && c != '\t') || c == 0x7f) {
        throw new BadHttpException("a control character");
      }
      line.append((char) c);
    }
  }

  private int read() throws IOException {
    if (left-- == 0) {
      throw new BadHttpException("more than is taken");
    }
    int c = in.read();
    if (c < 0) {
      throw new EOFException("it ended within a message");
    }
    begun = true;
    return c;
  }
}
