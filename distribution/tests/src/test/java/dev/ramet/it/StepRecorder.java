// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import dev.ramet.engine.EngineConfig;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Notes the steps the engine takes, and breaks the one it is told to break. Thread-safe. */
final class StepRecorder implements EngineConfig.Steps {
  /** What a broken step throws. */
  static final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Broken(String step) {
      super("broken at " + step);
    }
  }

  private final List<String> seen = new ArrayList<>();
  private @Nullable String breakAt;
  private int skip;

  @Override
  public synchronized void before(String step) {
    seen.add(step);
    if (step.equals(breakAt) && skip-- == 0) {
      throw new Broken(step);
    }
  }

  /** Forgets everything and breaks nothing. */
  synchronized void reset() {
    seen.clear();
    breakAt = null;
  }

  /** Breaks the next occurrence of a step, after letting some pass. */
  synchronized void breakAt(String step, int occurrencesToPass) {
    seen.clear();
    breakAt = step;
    skip = occurrencesToPass;
  }

  /** The steps taken since the last reset. */
  synchronized List<String> seen() {
    return List.copyOf(seen);
  }
}
