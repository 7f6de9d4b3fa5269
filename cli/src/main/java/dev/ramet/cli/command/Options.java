// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.command;

import dev.ramet.errors.RametException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Parses the values of options. */
public final class Options {
  private Options() {}

  /**
   * Parses a lifetime: {@code 300}, {@code 90s}, {@code 15m}, {@code 2h}, {@code never}.
   *
   * @return seconds, -1 for never, or null for null
   */
  public static @Nullable Integer timeout(@Nullable String text) {
    if (text == null) {
      return null;
    }
    if (text.equalsIgnoreCase("never")) {
      return -1;
    }
    long seconds = parseScaled("--timeout", text, "smh", new long[] {1, 60, 3600}, "s");
    if (seconds > Integer.MAX_VALUE) {
      throw RametException.invalid("--timeout", "too long: " + text);
    }
    return (int) seconds;
  }

  /**
   * Parses a size: {@code 512} and {@code 512M} are MiB, {@code 1G} is 1024 MiB.
   *
   * @return MiB, or null for null
   */
  public static @Nullable Integer mebibytes(String option, @Nullable String text) {
    if (text == null) {
      return null;
    }
    long size = parseScaled(option, text, "mg", new long[] {1, 1024}, "m");
    if (size > Integer.MAX_VALUE) {
      throw RametException.invalid(option, "too large: " + text);
    }
    return (int) size;
  }

  private static long parseScaled(
      String option, String text, String units, long[] factors, String usual) {
    String lower = text.toLowerCase(Locale.ROOT);
    for (String suffix : new String[] {"ib", "b"}) { // MiB, MB
      if (usual.equals("m") && lower.endsWith(suffix)) {
        lower = lower.substring(0, lower.length() - suffix.length());
        break;
      }
    }
    int unit = lower.isEmpty() ? -1 : units.indexOf(lower.charAt(lower.length() - 1));
    String digits = unit < 0 ? lower : lower.substring(0, lower.length() - 1);
    if (digits.isEmpty()
        || digits.length() > 9
        || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw RametException.invalid(option, "not valid: " + text);
    }
    return Long.parseLong(digits) * (unit < 0 ? 1 : factors[unit]);
  }
}
