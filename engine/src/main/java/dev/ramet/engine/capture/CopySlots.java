// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Limits how many captures copy memory at once, in the order of their arrival. Copying takes
 * processor time. With more copies than processors all of them end late, machines stay paused for
 * longer, and then all wait for the storage device together. With slots, the first captures' bytes
 * are on their way to the device while the next ones copy.
 *
 * <p>A slot is not a lock: a capture waits for a limited time at most, so that a large one does not
 * hold up small ones. Thread-safe.
 */
final class CopySlots {
  private final Semaphore free;
  private final Duration patience;

  /**
   * Creates slots.
   *
   * @param atOnce how many captures copy at once
   * @param patience how long a capture waits at most before it copies without a slot
   */
  CopySlots(int atOnce, Duration patience) {
    this.free = new Semaphore(atOnce, true);
    this.patience = patience;
  }

  /** Returns as many slots as keep all processors busy, with a wait that is hardly noticed. */
  static CopySlots ofHost() {
    // A capture that waits for its device leaves a processor to another one.
    int atOnce = Math.max(2, Runtime.getRuntime().availableProcessors());
    return new CopySlots(atOnce, Duration.ofMillis(250));
  }

  /**
   * Waits for a slot, at most for the patience.
   *
   * @throws RametException {@code CANCELLED} if the thread is interrupted
   */
  Turn acquire() {
    try {
      return new Turn(free.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RametException(
          ErrorCode.CANCELLED, "interrupted while waiting for other captures", e);
    }
  }

  /**
   * Returns a turn without a slot, for a capture that must not wait because its machine is paused
   * already.
   */
  Turn noSlot() {
    return new Turn(false);
  }

  /** One capture's turn, until it is closed. */
  final class Turn implements AutoCloseable {
    private final AtomicBoolean held;

    private Turn(boolean held) {
      this.held = new AtomicBoolean(held);
    }

    /** Frees the slot, if this turn holds one. Idempotent. */
    @Override
    public void close() {
      if (held.compareAndSet(true, false)) {
        free.release();
      }
    }
  }
}
