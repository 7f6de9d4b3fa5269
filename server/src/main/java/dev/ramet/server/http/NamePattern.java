// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.http;

import java.util.Locale;

/**
 * A host name, the names below one, or both. Immutable and thread-safe.
 *
 * @param name in lower case, without the dot at its end
 * @param exact whether the name itself matches
 * @param below whether names below it match, at any depth
 */
record NamePattern(String name, boolean exact, boolean below) {
  private static final String ANY_BELOW = "*.";

  /** A name as settings have it: {@code *.example.org} stands for the names below it alone. */
  static NamePattern of(String setting) {
    String plain = plain(setting);
    return plain.startsWith(ANY_BELOW)
        ? new NamePattern(plain.substring(ANY_BELOW.length()), false, true)
        : new NamePattern(plain, true, false);
  }

  /** A name and all names below it. */
  static NamePattern withBelow(String setting) {
    return new NamePattern(plain(setting), true, true);
  }

  private static String plain(String setting) {
    String lower = setting.toLowerCase(Locale.ROOT);
    return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
  }

  /** Whether it stands for a name, which is in lower case and has no dot at its end. */
  boolean matches(String candidate) {
    if (name.isEmpty()) {
      return false;
    }
    return (exact && candidate.equals(name)) || (below && candidate.endsWith("." + name));
  }
}
