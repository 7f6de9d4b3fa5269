// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import dev.ramet.errors.RametException;

/**
 * Told what the making of a {@link DerivedTemplate} does, and may end it: what any method throws
 * ends it. Called by one thread at a time.
 */
public interface BuildLog extends Progress {
  /**
   * The steps of the request begin and end, each described by {@link Progress#step} next.
   *
   * @param number which one, from 1; 0 for what comes before them, one more than there are for what
   *     comes after
   */
  void at(int number);

  /**
   * A command of a step said something.
   *
   * @param error whether on its standard error
   * @param line without the line's end, and without what could make a terminal do something
   */
  void output(boolean error, String line);

  /**
   * It takes longer; called about once a second.
   *
   * @throws RametException {@code CANCELLED} when it is not wanted any more
   */
  void waiting();
}
