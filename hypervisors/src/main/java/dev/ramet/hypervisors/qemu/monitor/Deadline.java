// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.monitor;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.time.Duration;

/** A point in time by which a call must have ended. Immutable. */
public final class Deadline {
  private final long startNanos = System.nanoTime();
  private final Duration length;

  private Deadline(Duration length) {
    this.length = length;
  }

  public static Deadline after(Duration length) {
    return new Deadline(length);
  }

  /** Returns the time left; zero or less once the deadline has passed. */
  public long remainingNanos() {
    return length.toNanos() - (System.nanoTime() - startNanos);
  }

  public boolean passed() {
    return remainingNanos() <= 0;
  }

  /** Returns the error for a call that did not end in time. */
  public RametException exceeded(String what) {
    return new RametException(
        ErrorCode.DEADLINE_EXCEEDED, what + " did not end within " + length.toMillis() + " ms");
  }
}
