// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

import dev.ramet.errors.RametException;

/**
 * The name of a volume or snapshot. Both share one flat namespace within a root.
 *
 * @param value 1 to 64 characters of {@code [A-Za-z0-9._-]}, starting with a letter or digit, so
 *     that it is a safe file name on every file system and is never hidden, relative or taken for
 *     an option
 */
public record NodeId(String value) implements Comparable<NodeId> {
  private static final int LENGTH_MAX = 64;

  /** Checks the syntax. */
  public NodeId {
    if (!isValid(value)) {
      throw RametException.invalid(
          "node id",
          "must be 1 to 64 characters of A-Z a-z 0-9 . _ - and start with a letter or digit");
    }
  }

  /** Returns whether a text is a valid node id. */
  public static boolean isValid(String value) {
    int length = value.length();
    if (length == 0 || length > LENGTH_MAX || !isLetterOrDigit(value.charAt(0))) {
      return false;
    }
    for (int i = 1; i < length; i++) {
      char c = value.charAt(i);
      if (!isLetterOrDigit(c) && c != '.' && c != '_' && c != '-') {
        return false;
      }
    }
    return true;
  }

  private static boolean isLetterOrDigit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
  }

  /** Returns the id named {@code value}. */
  public static NodeId of(String value) {
    return new NodeId(value);
  }

  // Written by hand: the compiler's version for records is linked only when it is first called,
  // which takes longer than comparing thousands of ids.
  @Override
  public boolean equals(Object other) {
    return other instanceof NodeId id && value.equals(id.value);
  }

  @Override
  public int hashCode() {
    return value.hashCode();
  }

  @Override
  public int compareTo(NodeId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
