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
  private @Nullable String actAt;
  private @Nullable Runnable action;

  @Override
  public void before(String step) {
    Runnable action = note(step);
    if (action != null) {
      action.run();
    }
  }

  private synchronized @Nullable Runnable note(String step) {
    seen.add(step);
    if (step.equals(breakAt) && skip-- == 0) {
      throw new Broken(step);
    }
    return step.equals(actAt) ? action : null;
  }

  /** Does something before each occurrence of a step. */
  synchronized void doAt(String step, Runnable what) {
    actAt = step;
    action = what;
  }

  /** Forgets everything and breaks nothing. */
  synchronized void reset() {
    seen.clear();
    breakAt = null;
    actAt = null;
    action = null;
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
