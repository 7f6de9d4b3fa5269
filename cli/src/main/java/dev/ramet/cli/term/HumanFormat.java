// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.term;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Formats sizes and times for people. */
public final class HumanFormat {
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};

  private HumanFormat() {}

  /** Formats a size in bytes. */
  public static String size(long bytes) {
    double value = bytes;
    int unit = 0;
    while (Math.abs(value) >= 1024 && unit < UNITS.length - 1) {
      value /= 1024;
      unit++;
    }
    boolean whole = unit == 0 || Math.abs(value) >= 100 || value == Math.rint(value);
    return String.format(Locale.ROOT, whole ? "%.0f %s" : "%.1f %s", value, UNITS[unit]);
  }

  /** Formats a size in MiB. */
  public static String mebibytes(long mebibytes) {
    return size(mebibytes << 20);
  }

  /** Formats a duration in milliseconds. */
  public static String millis(double millis) {
    if (millis < 10) {
      return String.format(Locale.ROOT, "%.1f ms", millis);
    }
    if (millis < 1000) {
      return String.format(Locale.ROOT, "%.0f ms", millis);
    }
    if (millis < 120_000) {
      return String.format(Locale.ROOT, "%.1f s", millis / 1000);
    }
    return formatDuration(Duration.ofMillis(Math.round(millis)));
  }

  /** Formats an RFC 3339 time to the second; the text itself if it is invalid. */
  public static String time(String instant) {
    try {
      return Instant.parse(instant).truncatedTo(ChronoUnit.SECONDS).toString();
    } catch (DateTimeException e) {
      return instant;
    }
  }

  /** Formats an RFC 3339 time and how long ago that was. */
  public static String timeAndAge(String instant, Instant now) {
    return time(instant) + " (" + timeSince(instant, now) + ")";
  }

  /** Returns how long ago an RFC 3339 time was; the text itself if it is invalid. */
  public static String timeSince(String instant, Instant now) {
    try {
      return formatDuration(Duration.between(Instant.parse(instant), now)) + " ago";
    } catch (DateTimeException e) {
      return instant;
    }
  }

  /** Returns how long it is until an RFC 3339 time; {@code never} for null. */
  public static String timeUntil(@Nullable String instant, Instant now) {
    if (instant == null) {
      return "never";
    }
    try {
      return "in " + formatDuration(Duration.between(now, Instant.parse(instant)));
    } catch (DateTimeException e) {
      return instant;
    }
  }

  /**
   * Returns how long it is until a sandbox's end, an RFC 3339 time; {@code never} for null. A
   * paused sandbox has no end until it is resumed: its time is the one at which it was paused.
   */
  public static String timeUntilEnd(String state, @Nullable String endAt, Instant now) {
    return state.equals("paused") ? "-" : timeUntil(endAt, now);
  }

  /** Formats a number of seconds as a whole number of the largest unit that fits: 5 minutes. */
  public static String seconds(long seconds) {
    long count = seconds;
    String unit = "second";
    if (seconds >= 3600 && seconds % 3600 == 0) {
      count = seconds / 3600;
      unit = "hour";
    } else if (seconds >= 60 && seconds % 60 == 0) {
      count = seconds / 60;
      unit = "minute";
    }
    return count + " " + unit + (count == 1 ? "" : "s");
  }

  private static String formatDuration(Duration d) {
    long seconds = Math.max(0, d.toSeconds());
    if (seconds < 120) {
      return seconds + "s";
    }
    if (seconds < 2 * 3600) {
      return seconds / 60 + "m";
    }
    return seconds < 2 * 86400 ? seconds / 3600 + "h" : seconds / 86400 + "d";
  }

  /**
   * Returns the state of a sandbox. A running one may stand still because of a disk of the host. If
   * that disk has failed, the sandbox counts as failed here: somebody must repair the disk.
   *
   * @param standstill why it stands still, or null
   */
  public static String state(String state, @Nullable String standstill) {
    if (standstill == null) {
      return state;
    }
    return standstill.equals("no-space") ? "running (no space)" : "failed (disk error)";
  }
}
