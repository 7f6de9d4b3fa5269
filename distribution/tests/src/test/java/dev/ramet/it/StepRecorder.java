// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ramet.engine.StepObserver;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Records the engine's steps, runs actions at some of them, and breaks a chosen one. Thread-safe.
 */
final class StepRecorder implements StepObserver {
  /** The exception that a broken step throws. */
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
   * Runs an action before each occurrence of a step, instead of an earlier action for that step.
   * Any number of steps may have an action.
   */
  synchronized void doAt(String step, Runnable what) {
    actions.put(step, what);
    waited.add(step);
  }

  /** Resets the recorder, and fails if a step with an action was never taken. */
  synchronized void resetWhenDone() {
    SortedSet<String> never = new TreeSet<>(waited);
    reset();
    assertEquals(new TreeSet<>(), never, "steps that were never taken");
  }

  /** Removes all steps, actions and breaks. */
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

  /** Returns the steps taken since the last reset. */
  synchronized List<String> seen() {
    return List.copyOf(seen);
  }
}
