// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.guest;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Closes a stream on which nothing was received for a while, so that nobody waits for a guest that
 * has stopped. Thread-safe.
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

  /** Records that something was received. */
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
      // Nothing more can be done to close it.
    }
  }
}
