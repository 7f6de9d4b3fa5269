// SPDX-License-Identifier: Apache-2.0
package dev.ramet.client;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Closes a stream that was silent for too long. A host that loses power never closes its
 * connections, and the JDK's client has no timeout between two bytes. Thread-safe.
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

  /** Records that data arrived. */
  void broken() {
    lastNanos = System.nanoTime();
  }

  /** Stops watching the stream. */
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
      // The reader gets the error.
    }
  }
}
