// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.rule;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Names of hosts: {@code example.org} is that one, {@code *.example.org} each one below it, at any
 * depth, and not itself. Immutable and thread-safe.
 */
public final class HostPatterns {
  /** None. */
  public static final HostPatterns NONE = new HostPatterns(List.of());

  private static final String BELOW = "*.";
  private static final int MAX_CHARACTERS = 253; // RFC 1035, 2.3.4, as text
  private static final Pattern NAME =
      Pattern.compile(
          "(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?");
  private static final Pattern NUMBER = Pattern.compile("(?:.*\\.)?(?:[0-9]+|0x[0-9a-f]*)");
  private static final Pattern PORT = Pattern.compile("[0-9]{1,5}");

  private final Set<String> exact = new HashSet<>();
  private final List<String> below = new ArrayList<>();

  private HostPatterns(List<String> patterns) {
    for (String pattern : patterns) {
      if (pattern.startsWith(BELOW)) {
        below.add(pattern.substring(1));
      } else {
        exact.add(pattern);
      }
    }
  }

  /**
   * Those of a list.
   *
   * @param patterns each as {@link #pattern} answers it
   */
  public static HostPatterns parse(List<String> patterns) {
    return patterns.isEmpty() ? NONE : new HostPatterns(patterns);
  }

  /**
   * Reads a name, or a pattern.
   *
   * @return it in lower case
   * @throws IllegalArgumentException when it is none, saying why
   */
  public static String pattern(String text) {
    if (text.chars().anyMatch(c -> c > 0x7e)) {
      throw new IllegalArgumentException(
          "a name with characters outside ASCII; write it as in DNS, beginning with xn--");
    }
    String lower = text.toLowerCase(Locale.ROOT);
    String name = lower.startsWith(BELOW) ? lower.substring(BELOW.length()) : lower;
    if (!name(name)) {
      throw new IllegalArgumentException("not an address, a network or a host name");
    }
    return lower;
  }

  private static boolean name(String lower) {
    return lower.length() <= MAX_CHARACTERS
        && NAME.matcher(lower).matches()
        // A name that C libraries take for an address is not a host name.
        && !NUMBER.matcher(lower).matches();
  }

  /**
   * A host as protocols name it.
   *
   * @param host a name, in any case of letters, perhaps with a dot at its end
   * @return in lower case, without that dot; null for what is no name, such as an address
   */
  public static @Nullable String normalize(String host) {
    String lower = host.toLowerCase(Locale.ROOT);
    String name = lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
    return name(name) ? name : null;
  }

  /**
   * The name in a {@code Host} field.
   *
   * @param field the name, perhaps with a port, which is checked and left out
   * @return as {@link #normalize} has it
   */
  public static @Nullable String hostOfHeader(String field) {
    int colon = field.indexOf(':');
    if (colon < 0) {
      return normalize(field);
    }
    return PORT.matcher(field.substring(colon + 1)).matches()
        ? normalize(field.substring(0, colon))
        : null;
  }

  /** Whether there are none. */
  public boolean isEmpty() {
    return exact.isEmpty() && below.isEmpty();
  }

  /**
   * Whether a name is one of these.
   *
   * @param name as {@link #normalize} has it
   */
  public boolean matches(String name) {
    return exact.contains(name)
        || below.stream().anyMatch(end -> name.length() > end.length() && name.endsWith(end));
  }
}
