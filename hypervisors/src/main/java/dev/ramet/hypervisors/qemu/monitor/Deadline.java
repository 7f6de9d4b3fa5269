// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.monitor;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

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

  /** Waits for an answer or event. */
  public JsonNode await(CompletableFuture<JsonNode> answer, String what) throws QmpException {
    try {
      return answer.get(Math.max(0, remainingNanos()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new QmpException(QmpException.Kind.TIMEOUT, what + ": no answer in time");
    } catch (ExecutionException e) {
      throw QmpException.closed(what);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new QmpException(QmpException.Kind.INTERRUPTED, what + ": interrupted");
    }
  }
}
