// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.time.Duration;

/** A point in time by which a call must have ended. Immutable. */
final class Deadline {
  private final long startNanos = System.nanoTime();
  private final Duration length;

  private Deadline(Duration length) {
    this.length = length;
  }

  static Deadline after(Duration length) {
    return new Deadline(length);
  }

  /** Returns the time left; zero or less once the deadline has passed. */
  long remainingNanos() {
    return length.toNanos() - (System.nanoTime() - startNanos);
  }

  boolean passed() {
    return remainingNanos() <= 0;
  }

  /** Returns the error for a call that did not end in time. */
  RametException exceeded(String what) {
    return new RametException(
        ErrorCode.DEADLINE_EXCEEDED, what + " did not end within " + length.toMillis() + " ms");
  }
}
