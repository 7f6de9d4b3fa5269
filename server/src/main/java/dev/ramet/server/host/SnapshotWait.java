// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.host;

import dev.ramet.errors.RametException;
import dev.ramet.server.http.FieldValidation;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Makes a request wait for a snapshot that is still being written, unless the request says {@code
 * wait=false}; then it gets 409. Thread-safe.
 */
public final class SnapshotWait {
  /** Longer than writing any snapshot takes. */
  private static final int MAX_SECONDS = 3600;

  private static final int DEFAULT_SECONDS = 600;

  private SnapshotWait() {}

  /**
   * Waits for a snapshot unless the request refuses to.
   *
   * @param reference id or name; an unknown or finished snapshot needs no waiting
   */
  public static void await(EngineHolder engine, String reference, @Nullable String wait) {
    await(engine, reference, FieldValidation.flag("wait", wait, true));
  }

  /** Waits for a snapshot if {@code wait} is true. */
  public static void await(EngineHolder engine, String reference, boolean wait) {
    if (wait) {
      engine.get().snapshots().await(reference, Duration.ofSeconds(DEFAULT_SECONDS));
    }
  }

  /** Returns how long a request is willing to wait, from its query. */
  public static Duration maxWait(@Nullable Integer seconds) {
    int value = seconds == null ? DEFAULT_SECONDS : seconds;
    if (value < 0 || value > MAX_SECONDS) {
      throw RametException.invalid("timeout", "must be 0 to " + MAX_SECONDS + " seconds");
    }
    return Duration.ofSeconds(value);
  }
}
