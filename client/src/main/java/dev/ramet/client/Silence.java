// SPDX-License-Identifier: Apache-2.0
package dev.ramet.client;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Closes a stream on which nothing came for too long, since a host that lost its power says no more
 * that it ends, and the JDK's client has no time limit between two bytes. Thread-safe.
 */
final class Silence {
  private final InputStream stream;
  private final long limitNanos;
  private final Executor later;
  private volatile long lastNanos = System.nanoTime();
  private volatile boolean ended;

  Silence(InputStream stream, long limitSeconds) {
    this.stream = stream;
    this.limitNanos = TimeUnit.SECONDS.toNanos(limitSeconds);
    this.later = CompletableFuture.delayedExecutor(limitSeconds, TimeUnit.SECONDS);
    later.execute(this::look);
  }

  /** Something came. */
  void broken() {
    lastNanos = System.nanoTime();
  }

  /** Nothing more is to come. */
  void end() {
    ended = true;
  }

  private void look() {
    if (ended) {
      return;
    }
    if (System.nanoTime() - lastNanos < limitNanos) {
      later.execute(this::look);
      return;
    }
    try {
      stream.close();
    } catch (IOException e) {
      // Whoever reads learns it.
    }
  }
}
