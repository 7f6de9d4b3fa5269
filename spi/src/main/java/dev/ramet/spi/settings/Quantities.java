// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.settings;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads sizes and times, which settings and options of commands write in one way. */
public final class Quantities {
  private static final Pattern SIZE = Pattern.compile("([0-9]{1,18})(?:([kmgt])(?:i?b)?|b)?");
  private static final String SIZE_UNITS = "kmgt";

  /** One or more numbers with units, such as {@code 1h30m}. */
  private static final Pattern TIMES = Pattern.compile("(?:[0-9]{1,9}(?:ns|ms|s|m|h|d))+");

  private static final Pattern TIME = Pattern.compile("([0-9]{1,9})(ns|ms|s|m|h|d)");
  private static final Pattern PLAIN = Pattern.compile("[0-9]{1,9}");

  private Quantities() {}

  /**
   * Reads a size: {@code 512M}, {@code 4G}, {@code 4GiB} or {@code 4gb}; units are powers of 1024.
   *
   * @param plainUnit the bytes that a number without a unit counts
   * @return bytes, or empty when it is not a size
   */
  public static OptionalLong bytes(String text, long plainUnit) {
    String lower = text.toLowerCase(Locale.ROOT);
    Matcher matcher = SIZE.matcher(lower);
    if (!matcher.matches()) {
      return OptionalLong.empty();
    }
    String unit = matcher.group(2);
    long factor =
        unit != null
            ? 1L << (10 * (SIZE_UNITS.indexOf(unit) + 1))
            : lower.endsWith("b") ? 1 : plainUnit;
    try {
      return OptionalLong.of(Math.multiplyExact(Long.parseLong(matcher.group(1)), factor));
    } catch (ArithmeticException e) {
      return OptionalLong.empty();
    }
  }

  /**
   * Reads a time that is not negative: {@code 90s}, {@code 15m}, {@code 1h30m}, {@code 500ms},
   * {@code PT1M30S}, or a plain number of seconds.
   *
   * @return empty when it is not a time
   */
  public static Optional<Duration> time(String text) {
    if (PLAIN.matcher(text).matches()) {
      return Optional.of(Duration.ofSeconds(Long.parseLong(text)));
    }
    if (TIMES.matcher(text).matches()) {
      Duration sum = Duration.ZERO;
      Matcher part = TIME.matcher(text);
      while (part.find()) {
        sum = sum.plus(time(Long.parseLong(part.group(1)), part.group(2)));
      }
      return Optional.of(sum);
    }
    try {
      return text.startsWith("P")
          ? Optional.of(Duration.parse(text)).filter(time -> !time.isNegative())
          : Optional.empty();
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  private static Duration time(long amount, String unit) {
    return switch (unit) {
      case "ns" -> Duration.ofNanos(amount);
      case "ms" -> Duration.ofMillis(amount);
      case "s" -> Duration.ofSeconds(amount);
      case "m" -> Duration.ofMinutes(amount);
      case "h" -> Duration.ofHours(amount);
      default -> Duration.ofDays(amount);
    };
  }
}
