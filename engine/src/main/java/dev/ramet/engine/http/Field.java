// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.http;

/**
 * A header field (RFC 9110, 5). Immutable and thread-safe.
 *
 * @param name as it was sent; in any case of letters it is the same field
 * @param value without white space around it; bytes above 127 are ISO 8859-1
 */
public record Field(String name, String value) {
  /** Reads a line without its end. */
  static Field parse(String line) throws BadHttpException {
    int colon = line.indexOf(':');
    if (colon <= 0) {
      throw new BadHttpException("a header field without a name");
    }
    String name = line.substring(0, colon);
    if (!Text.token(name)) {
      throw new BadHttpException("a header field whose name is none");
    }
    return new Field(name, Text.trim(line.substring(colon + 1)));
  }

  /** Whether it is called so, in any case of letters. */
  public boolean is(String other) {
    return name.equalsIgnoreCase(other);
  }
}
