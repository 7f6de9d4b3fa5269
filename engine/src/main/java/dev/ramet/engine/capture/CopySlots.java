// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Lets only so many captures copy memory at once, in the order in which they came. Copying takes
 * processor time: when more of them do it than there are processors, all of them end late, machines
 * stand still for longer, and then all wait for the device together. In turns, the first ones'
 * bytes are on their way to the device while the next ones' are copied.
 *
 * <p>A turn is a courtesy and not a lock: nobody waits longer than a bound, so that one with much
 * to copy does not hold up those with little. Thread-safe.
 */
final class CopySlots {
  private final Semaphore free;
  private final Duration patience;

  /**
   * Turns for some at once.
   *
   * @param atOnce how many
   * @param patience how long one waits at most before it goes ahead
   */
  CopySlots(int atOnce, Duration patience) {
    this.free = new Semaphore(atOnce, true);
    this.patience = patience;
  }

  /** As many as use all processors, and what waits is hardly noticed. */
  static CopySlots ofHost() {
    // One that waits for its device in between leaves a processor to another.
    int atOnce = Math.max(2, Runtime.getRuntime().availableProcessors());
    return new CopySlots(atOnce, Duration.ofMillis(250));
  }

  /**
   * Waits for a turn, or until patience ends.
   *
   * @throws RametException {@code CANCELLED} when the thread is interrupted
   */
  Turn take() {
    try {
      return new Turn(free.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RametException(
          ErrorCode.CANCELLED, "interrupted while waiting for other captures", e);
    }
  }

  /** The turn of one that does not wait: its machine stands still already. */
  Turn none() {
    return new Turn(false);
  }

  /** One's turn, until it is closed. */
  final class Turn implements AutoCloseable {
    private final AtomicBoolean held;

    private Turn(boolean held) {
      this.held = new AtomicBoolean(held);
    }

    /** Lets the next one have it. Idempotent. */
    @Override
    public void close() {
      if (held.compareAndSet(true, false)) {
        free.release();
      }
    }
  }
}
