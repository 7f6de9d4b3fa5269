// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.shell;

import dev.ramet.agent.Command;
import org.jspecify.annotations.Nullable;

/**
 * The program that a terminal shows. Immutable.
 *
 * @param command how to start it, or null for one that runs already
 * @param pid the one that runs already, or null
 * @param reopened whether it is started again in a sandbox that was restored to an instant before
 *     it began
 * @param typed whether the keys typed here are for it
 */
record Program(@Nullable Command command, @Nullable Long pid, boolean reopened, boolean typed) {
  /** Returns a program that is started, and started again after a rollback that undid it. */
  static Program reopened(Command command) {
    return new Program(command, null, true, true);
  }

  /** Returns a program that is started once. */
  static Program once(Command command) {
    return new Program(command, null, false, command.input());
  }

  /** Returns a program that runs already. */
  static Program running(long pid) {
    return new Program(null, pid, false, true);
  }
}
