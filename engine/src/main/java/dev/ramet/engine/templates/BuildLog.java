// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.templates;

import dev.ramet.engine.Progress;
import dev.ramet.errors.RametException;

/**
 * Receives the progress and the output of building a {@link DerivedTemplate}, and can stop the
 * build: an exception from any method ends it. Called by one thread at a time.
 */
public interface BuildLog extends Progress {
  /**
   * Reports that the build has reached a step; {@link Progress#step} then describes it.
   *
   * @param number the step's number, from 1; 0 for the work before the first step, and the number
   *     of steps plus one for the work after the last
   */
  void stepReached(int number);

  /**
   * Reports one line of output from a step's command.
   *
   * @param error whether the line came from standard error
   * @param line the line without its terminator and without terminal control sequences
   */
  void output(boolean error, String line);

  /**
   * Called about once a second while a step takes its time.
   *
   * @throws RametException {@code CANCELLED} when the build is no longer wanted
   */
  void heartbeat();
}
