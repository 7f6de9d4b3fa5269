// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.host;

import dev.ramet.errors.RametException;
import dev.ramet.server.http.FieldValidation;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Lets a request wait for a snapshot that is still being written, unless it says {@code
 * wait=false}; then it is answered 409. Thread-safe.
 */
public final class SnapshotWait {
  /** Longer than any snapshot takes to write. */
  private static final int MOST_SECONDS = 3600;

  private static final int USUAL_SECONDS = 600;

  private SnapshotWait() {}

  /**
   * Waits, if that is wanted.
   *
   * @param reference id or name; one that is unknown, or not being written, needs no waiting
   */
  public static void before(EngineHolder engine, String reference, @Nullable String wait) {
    before(engine, reference, FieldValidation.flag("wait", wait, true));
  }

  /** The same when it is known whether to wait. */
  public static void before(EngineHolder engine, String reference, boolean wait) {
    if (wait) {
      engine.get().snapshots().await(reference, Duration.ofSeconds(USUAL_SECONDS));
    }
  }

  /** How long a request wants to wait, from its query. */
  public static Duration atMost(@Nullable Integer seconds) {
    int value = seconds == null ? USUAL_SECONDS : seconds;
    if (value < 0 || value > MOST_SECONDS) {
      throw RametException.invalid("timeout", "must be 0 to " + MOST_SECONDS + " seconds");
    }
    return Duration.ofSeconds(value);
  }
}
