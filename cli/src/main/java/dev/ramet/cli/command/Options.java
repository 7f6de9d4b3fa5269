// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.command;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.settings.Quantities;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Reads the values of options, as settings are read. Errors name the option that was typed. */
public final class Options {
  /** The number of seconds that stands for no limit. */
  public static final int NEVER = -1;

  private static final long MEBIBYTE = 1L << 20;
  private static final long GIBIBYTE = 1L << 30;

  private Options() {}

  /**
   * Reads the lifetime in {@code --timeout}: {@code 300}, {@code 90s}, {@code 15m}, {@code 2h},
   * {@code never}.
   *
   * @return seconds, -1 for never, or null for null
   */
  public static @Nullable Integer timeout(@Nullable String text) {
    return text == null ? null : Integer.valueOf(seconds("--timeout", text));
  }

  /**
   * Reads a time in whole seconds, written as for {@code --timeout}.
   *
   * @param option the option or parameter that was typed
   * @return seconds, or -1 for never
   */
  public static int seconds(String option, String text) {
    if (text.equalsIgnoreCase("never")) {
      return NEVER;
    }
    Optional<Duration> time = Quantities.time(text);
    if (time.isEmpty()) {
      throw invalid(
          option, "is not a time: " + text, "write it like 90s, 15m, 2h, never or 300 (seconds)");
    }
    long seconds = time.get().toSeconds();
    if (seconds > Integer.MAX_VALUE) {
      throw invalid(option, "is too long: " + text, "for no end at all write never");
    }
    if (time.get().toNanosPart() != 0) {
      throw invalid(option, "is not in whole seconds: " + text, "write it like 90s");
    }
    return (int) seconds;
  }

  /**
   * Reads a size: {@code 512} and {@code 512M} are MiB, {@code 1G} is 1024 MiB.
   *
   * @return MiB, or null for null
   */
  public static @Nullable Integer mebibytes(String option, @Nullable String text) {
    Long size = in(MEBIBYTE, "MiB", option, text);
    return size == null ? null : Math.toIntExact(size);
  }

  /**
   * Reads a size: {@code 20} and {@code 20G} are GiB.
   *
   * @return GiB, or null for null
   */
  public static @Nullable Long gibibytes(String option, @Nullable String text) {
    return in(GIBIBYTE, "GiB", option, text);
  }

  private static @Nullable Long in(long unit, String name, String option, @Nullable String text) {
    if (text == null) {
      return null;
    }
    OptionalLong bytes = Quantities.bytes(text, unit);
    String example = "write it like 512M, 4G or 4GiB; a plain number is in " + name;
    if (bytes.isEmpty()) {
      throw invalid(option, "is not a size: " + text, example);
    }
    if (bytes.getAsLong() % unit != 0) {
      throw invalid(option, "is not in whole " + name + ": " + text, example);
    }
    if (bytes.getAsLong() / unit > Integer.MAX_VALUE) {
      throw invalid(option, "is too large: " + text, example);
    }
    return bytes.getAsLong() / unit;
  }

  private static RametException invalid(String option, String problem, String remedy) {
    return new RametException(ErrorCode.INVALID_ARGUMENT, option + " " + problem, remedy, null);
  }
}
