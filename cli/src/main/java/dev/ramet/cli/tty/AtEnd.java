// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.tty;

/** Does something when a signal ends this process, unless it was closed before. */
public final class AtEnd implements AutoCloseable {
  private final Thread hook;

  /** Registers the action. */
  public AtEnd(Runnable action) {
    hook = new Thread(action, "at-end");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // This process is ending already.
    }
  }
}
