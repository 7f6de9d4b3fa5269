// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.workspace;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A path in a guest, or the target of a link: bytes, which need not be UTF-8. The order is that of
 * all lists: a directory comes before what is in it, and that before the directory's next sibling.
 * Immutable.
 */
public final class GuestPath implements Comparable<GuestPath> {
  private static final HexFormat PERCENT = HexFormat.of().withPrefix("%").withUpperCase();

  private final byte[] bytes;

  private GuestPath(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Returns the path with these bytes. */
  public static GuestPath of(byte[] bytes) {
    return new GuestPath(bytes.clone());
  }

  /** Returns the path whose bytes are those of a text in UTF-8. */
  public static GuestPath of(String text) {
    return new GuestPath(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns a copy of the bytes. */
  public byte[] bytes() {
    return bytes.clone();
  }

  /** Returns whether the text of {@link #toString} has the same bytes in UTF-8. */
  public boolean isText() {
    return Arrays.equals(toString().getBytes(StandardCharsets.UTF_8), bytes);
  }

  /** Returns the bytes as one value of a URL's query. */
  String encoded() {
    return PERCENT.formatHex(bytes);
  }

  @Override
  public int compareTo(GuestPath other) {
    int at = Arrays.mismatch(bytes, other.bytes);
    if (at < 0) {
      return 0;
    }
    if (at == bytes.length || at == other.bytes.length) {
      return Integer.compare(bytes.length, other.bytes.length);
    }
    return Integer.compare(rank(bytes[at]), rank(other.bytes[at]));
  }

  private static int rank(byte one) {
    return one == '/' ? 0 : one & 0xff;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof GuestPath path && Arrays.equals(bytes, path.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** Returns the text; a replacement character stands for what is not UTF-8. */
  @Override
  public String toString() {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
