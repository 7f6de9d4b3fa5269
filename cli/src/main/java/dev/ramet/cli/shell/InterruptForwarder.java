// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.shell;

import dev.ramet.agent.Guest;
import dev.ramet.cli.tty.Signals;
import dev.ramet.errors.RametException;
import org.jspecify.annotations.Nullable;

/**
 * Forwards Ctrl-C to a program in a guest while open; before that program has started, Ctrl-C ends
 * this one.
 */
final class InterruptForwarder implements AutoCloseable {
  private static final int INTERRUPTED = 130;

  private final Signals signals = new Signals("INT", this::interrupted);
  private volatile @Nullable Guest guest;
  private volatile long pid;

  /** Sets the program that receives signals from now on. */
  void forwardTo(Guest there, long process) {
    pid = process;
    guest = there;
  }

  private void interrupted() {
    Guest there = guest;
    if (there == null) {
      System.exit(INTERRUPTED);
      return;
    }
    try {
      there.signal(pid, "SIGINT");
    } catch (RametException e) {
      // The program has just ended, or the stream that shows it reports the error.
    }
  }

  @Override
  public void close() {
    signals.close();
  }
}
