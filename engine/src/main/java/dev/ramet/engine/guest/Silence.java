// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.guest;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Closes a stream on which nothing came for long, so that nobody waits for a guest that stands
 * still. Thread-safe.
 */
final class Silence implements AutoCloseable {
  private final InputStream stream;
  private final long limitNanos;
  private volatile long heard = System.nanoTime();
  private volatile boolean over;

  Silence(InputStream stream, Duration limit) {
    this.stream = stream;
    this.limitNanos = limit.toNanos();
    listen(limitNanos);
  }

  /** Something came. */
  void broken() {
    heard = System.nanoTime();
  }

  private void listen(long nanos) {
    CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS)
        .execute(
            () -> {
              long left = limitNanos - (System.nanoTime() - heard);
              if (left > 0 && !over) {
                listen(left);
              } else {
                close();
              }
            });
  }

  @Override
  public void close() {
    over = true;
    try {
      stream.close();
    } catch (IOException e) {
      // It is closed as far as can be.
    }
  }
}
