// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A stream that is closed when a read waits too long. A machine that loses power never closes its
 * connections, and the JDK's HTTP client has no timeout between two bytes. To be read by one
 * thread.
 */
public final class IdleTimeoutStream extends FilterInputStream {
  private final long limitNanos;
  private volatile long sinceNanos;
  private volatile boolean waiting;
  private volatile boolean ended;

  /**
   * Wraps a stream.
   *
   * @param in a stream whose {@code close} ends a read of another thread
   * @param limit how long a read may wait
   */
  public IdleTimeoutStream(InputStream in, Duration limit) {
    super(in);
    this.limitNanos = limit.toNanos();
    scheduleCheck(limitNanos);
  }

  private void scheduleCheck(long nanos) {
    CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS).execute(this::checkIdle);
  }

  private void checkIdle() {
    if (ended) {
      return;
    }
    long left = waiting ? limitNanos - (System.nanoTime() - sinceNanos) : limitNanos;
    if (left > 0) {
      scheduleCheck(left);
      return;
    }
    try {
      close();
    } catch (IOException e) {
      // The reader gets the error.
    }
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    sinceNanos = System.nanoTime();
    waiting = true;
    try {
      int read = in.read(bytes, offset, length);
      if (read < 0) {
        ended = true;
      }
      return read;
    } finally {
      waiting = false;
    }
  }

  @Override
  public void close() throws IOException {
    ended = true;
    in.close();
  }
}
