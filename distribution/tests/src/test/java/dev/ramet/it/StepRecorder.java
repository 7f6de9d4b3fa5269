// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ramet.engine.EngineConfig;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Notes the steps the engine takes, does what it is told to do at some of them, and breaks the one
 * it is told to break. Thread-safe.
 */
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
  private final Map<String, Runnable> actions = new HashMap<>();
  private final SortedSet<String> waited = new TreeSet<>();

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
    waited.remove(step);
    return actions.get(step);
  }

  /**
   * Does something before each occurrence of a step, in place of what was to be done there before.
   * There may be something to do at any number of steps.
   */
  synchronized void doAt(String step, Runnable what) {
    actions.put(step, what);
    waited.add(step);
  }

  /** Forgets everything, but fails when a step at which something was to be done never came. */
  synchronized void resetWhenDone() {
    SortedSet<String> never = new TreeSet<>(waited);
    reset();
    assertEquals(new TreeSet<>(), never, "steps that were never taken");
  }

  /** Forgets everything and breaks nothing. */
  synchronized void reset() {
    seen.clear();
    breakAt = null;
    actions.clear();
    waited.clear();
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
