// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.http;

import java.util.Locale;

/**
 * A pattern for host names: one name, the names below it, or both. Immutable and thread-safe.
 *
 * @param name in lower case, without a trailing dot
 * @param exact whether the name itself matches
 * @param below whether names below it match, at any depth
 */
record NamePattern(String name, boolean exact, boolean below) {
  private static final String ANY_BELOW = "*.";

  /** Parses a setting: {@code *.example.org} matches only the names below {@code example.org}. */
  static NamePattern parse(String setting) {
    String plain = normalize(setting);
    return plain.startsWith(ANY_BELOW)
        ? new NamePattern(plain.substring(ANY_BELOW.length()), false, true)
        : new NamePattern(plain, true, false);
  }

  /** Returns a pattern for a name and all names below it. */
  static NamePattern withBelow(String setting) {
    return new NamePattern(normalize(setting), true, true);
  }

  private static String normalize(String setting) {
    String lower = setting.toLowerCase(Locale.ROOT);
    return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
  }

  /** Returns whether it matches a name, which must be in lower case without a trailing dot. */
  boolean matches(String candidate) {
    if (name.isEmpty()) {
      return false;
    }
    return (exact && candidate.equals(name)) || (below && candidate.endsWith("." + name));
  }
}
