// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.crash;

import dev.ramet.tck.storage.StepControl;

/**
 * Counts the steps of an operation, or kills it at one of them: from then on every step throws, so
 * that nothing is changed or cleaned up any more, as in a dead process.
 */
final class Killer implements StepControl.Observer {
  static final int NEVER = Integer.MAX_VALUE;

  private final int at;
  private int steps;

  /** Creates an observer that kills before step {@code at}, counted from 0. */
  Killer(int at) {
    this.at = at;
  }

  /** Simulates the death of the process. */
  static final class Killed extends Error {
    private static final long serialVersionUID = 1L;

    Killed(String step) {
      super("killed before: " + step, null, false, false);
    }
  }

  @Override
  public synchronized void before(String step) {
    if (steps >= at) {
      throw new Killed(step);
    }
    steps++;
  }

  synchronized int steps() {
    return steps;
  }
}
