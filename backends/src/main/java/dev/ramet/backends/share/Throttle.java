// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.share;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.util.function.BooleanSupplier;

/**
 * Limits the share of the time that background work takes, by a rest after each piece.
 *
 * @param share above 0 and at most 1, which means without rests
 */
public record Throttle(double share) {
  private static final long NAP_MILLIS = 20;
  private static final long NANOS_PER_MILLI = 1_000_000;

  /** Without rests. */
  static final Throttle FULL = new Throttle(1);

  public Throttle {
    if (!(share > 0 && share <= 1)) {
      throw RametException.invalid("share", "must be above 0 and at most 1");
    }
  }

  boolean isThrottled() {
    return share < 1;
  }

  /**
   * Rests after a piece of work.
   *
   * @param begun when it began, by {@link System#nanoTime}
   * @param enough ends the rest
   * @throws RametException {@code CANCELLED} when the thread is interrupted, which stays set
   */
  void pause(long begun, BooleanSupplier enough) {
    long now = System.nanoTime();
    long end = now + (long) ((now - begun) * (1 - share) / share);
    while (now < end && !enough.getAsBoolean()) {
      sleep(Math.min(NAP_MILLIS, (end - now) / NANOS_PER_MILLI + 1));
      now = System.nanoTime();
    }
  }

  /** Waits, but not for long. */
  static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RametException(ErrorCode.CANCELLED, "interrupted while preparing a copy", e);
    }
  }
}
