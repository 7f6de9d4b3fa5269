// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.rule;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Checks the names and values of HTTP headers (RFC 9110, 5). */
public final class HeaderSyntax {
  private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}");

  /** They say where a message goes, where it ends and what becomes of the connection. */
  private static final Set<String> OF_THE_CONNECTION =
      Set.of(
          "host",
          "connection",
          "content-length",
          "transfer-encoding",
          "te",
          "trailer",
          "upgrade",
          "expect",
          "keep-alive",
          "proxy-connection",
          "http2-settings");

  private HeaderSyntax() {}

  /** Whether a text is a header's name. */
  public static boolean isValidName(String name) {
    return TOKEN.matcher(name).matches();
  }

  /** Whether a header is one of those that are between two hops alone. */
  public static boolean isConnectionHeader(String name) {
    return OF_THE_CONNECTION.contains(name.toLowerCase(Locale.ROOT));
  }

  /** Whether a text can be a header's value, or part of one: no end of a line above all. */
  public static boolean isValidValue(String value) {
    return value.chars().allMatch(c -> c == '\t' || (c >= ' ' && c < 0x7f));
  }
}
