// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.http;

import java.util.ArrayList;
import java.util.List;

/** The small words of HTTP (RFC 9110, 5.6). */
final class Text {
  private static final String MARKS = "!#$%&'*+-.^_`|~";

  private Text() {}

  /** Whether it is a token. */
  static boolean token(String text) {
    return !text.isEmpty() && text.chars().allMatch(Text::ofToken);
  }

  private static boolean ofToken(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || (c < 0x80 && MARKS.indexOf(c) >= 0);
  }

  /** Without spaces and tabs around it, and with all else. */
  static String trim(String text) {
    int from = 0;
    int to = text.length();
    while (from < to && blank(text.charAt(from))) {
      from++;
    }
    while (to > from && blank(text.charAt(to - 1))) {
      to--;
    }
    return text.substring(from, to);
  }

  private static boolean blank(char c) {
    return c == ' ' || c == '\t';
  }

  /** The parts of a list between commas, trimmed, without empty ones. */
  static List<String> list(String value) {
    List<String> parts = new ArrayList<>();
    for (String part : value.split(",", -1)) {
      String trimmed = trim(part);
      if (!trimmed.isEmpty()) {
        parts.add(trimmed);
      }
    }
    return parts;
  }
}
