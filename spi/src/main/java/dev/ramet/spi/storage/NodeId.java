// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

import dev.ramet.api.RametException;
import java.util.regex.Pattern;

/**
 * The name of a volume or snapshot. Both share one flat namespace within a root.
 *
 * @param value 1 to 64 characters of {@code [A-Za-z0-9._-]}, starting with a letter or digit, so
 *     that it is a safe file name on every file system and never hidden, relative or an option
 */
public record NodeId(String value) implements Comparable<NodeId> {
  private static final Pattern SYNTAX = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

  /** Checks the syntax. */
  public NodeId {
    if (!SYNTAX.matcher(value).matches()) {
      throw RametException.invalid(
          "node id",
          "must be 1 to 64 characters of A-Z a-z 0-9 . _ - and start with a letter or digit");
    }
  }

  /** The id named {@code value}. */
  public static NodeId of(String value) {
    return new NodeId(value);
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
