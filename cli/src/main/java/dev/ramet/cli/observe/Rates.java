// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.observe;

import dev.ramet.api.sandbox.SandboxStats;
import dev.ramet.api.sandbox.SandboxStats.Usage;
import java.time.Duration;
import java.time.Instant;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The change between two measurements of one sandbox. Immutable. */
final class Rates {
  private final @Nullable Usage before;
  private final @Nullable Usage now;
  private final double seconds;

  private Rates(@Nullable Usage before, @Nullable Usage now, double seconds) {
    this.before = before;
    this.now = now;
    this.seconds = seconds;
  }

  /**
   * Compares two measurements.
   *
   * @param earlier the earlier one, or null if there is none
   */
  static Rates between(@Nullable SandboxStats earlier, SandboxStats later) {
    if (earlier == null) {
      return new Rates(null, later.usage(), 0);
    }
    Duration passed =
        Duration.between(Instant.parse(earlier.timestamp()), Instant.parse(later.timestamp()));
    return new Rates(earlier.usage(), later.usage(), passed.toMillis() / 1000.0);
  }

  /**
   * Returns a counter's change per second; negative if it is not known, for example because a
   * rollback has replaced the machine.
   */
  double perSecond(ToDoubleFunction<Usage> counter) {
    Usage first = before;
    Usage last = now;
    if (first == null || last == null || seconds <= 0 || last.cpuSeconds() < first.cpuSeconds()) {
      return -1;
    }
    double change = counter.applyAsDouble(last) - counter.applyAsDouble(first);
    return change < 0 ? -1 : change / seconds;
  }
}
