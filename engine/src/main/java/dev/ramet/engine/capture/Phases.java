// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

import java.util.LinkedHashMap;
import java.util.Map;

/** Times the phases of one operation, each from the end of the one before. Used by one thread. */
final class Phases {
  private final Map<String, Long> nanos = new LinkedHashMap<>();
  private final Map<String, Long> paused = new LinkedHashMap<>();
  private boolean pause;
  private final long start = System.nanoTime();
  private long last = start;

  /** The phase that ended just now. */
  void ended(String phase) {
    long now = System.nanoTime();
    nanos.merge(phase, now - last, Long::sum);
    if (pause) {
      paused.merge(phase, now - last, Long::sum);
    }
    last = now;
  }

  /** The phases that end from now on are those of a pause, or are not. */
  void inPause(boolean now) {
    pause = now;
  }

  /** Nanoseconds by phase of the pauses. */
  Map<String, Long> pauseNanos() {
    return new LinkedHashMap<>(paused);
  }

  /** Nanoseconds by phase, in the order they ended. */
  Map<String, Long> nanos() {
    return new LinkedHashMap<>(nanos);
  }

  /** Nanoseconds since the start. */
  long total() {
    return System.nanoTime() - start;
  }
}
