// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Measures the phases of one operation. A phase lasts from the end of the previous one. Used by one
 * thread.
 */
final class PhaseTimes {
  private final Map<String, Long> nanos = new LinkedHashMap<>();
  private final Map<String, Long> paused = new LinkedHashMap<>();
  private boolean pause;
  private final long start = System.nanoTime();
  private long last = start;

  /** Ends a phase now. */
  void endPhase(String phase) {
    long now = System.nanoTime();
    nanos.merge(phase, now - last, Long::sum);
    if (pause) {
      paused.merge(phase, now - last, Long::sum);
    }
    last = now;
  }

  /** Sets whether the phases that end from now on belong to a pause. */
  void inPause(boolean now) {
    pause = now;
  }

  /** Returns the nanoseconds spent paused, by phase. */
  Map<String, Long> pauseNanos() {
    return new LinkedHashMap<>(paused);
  }

  /** Returns the nanoseconds by phase, in the order in which the phases ended. */
  Map<String, Long> nanos() {
    return new LinkedHashMap<>(nanos);
  }

  /** Returns the nanoseconds since the start. */
  long totalNanos() {
    return System.nanoTime() - start;
  }
}
