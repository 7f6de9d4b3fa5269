// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.term;

import java.io.PrintStream;

/**
 * One line on a terminal that shows what takes long: it appears after a second and is gone at the
 * end. Where nobody watches it does nothing. Thread-safe.
 */
public final class Progress implements AutoCloseable {
  private static final long SILENT_MILLIS = 1000;
  private static final long TICK_MILLIS = 200;
  private static final String WHEEL = "|/-\\";
  private static final String ERASE = "\r\u001b[K";

  private final PrintStream to;
  private final boolean live;
  private final long startNanos = System.nanoTime();
  private String label;
  private boolean shown;
  private boolean closed;

  /**
   * Begins.
   *
   * @param to where the line goes
   * @param live whether that is a terminal
   * @param label what is being done
   */
  public Progress(PrintStream to, boolean live, String label) {
    this.to = to;
    this.live = live;
    this.label = label;
    if (live) {
      Thread thread = new Thread(this::turn, "progress");
      thread.setDaemon(true);
      thread.start();
    }
  }

  /** Says that something else is being done now. */
  public synchronized void label(String now) {
    label = now;
  }

  /** Prints a line that stays, above the moving one. */
  public synchronized void line(String text) {
    erase();
    to.println(text);
  }

  private synchronized void turn() {
    try {
      for (int i = 0; !closed; i++) {
        long millis = (System.nanoTime() - startNanos) / 1_000_000;
        if (millis >= SILENT_MILLIS) {
          char wheel = WHEEL.charAt(i % WHEEL.length());
          to.print(ERASE + wheel + " " + label + " " + millis / 1000 + "s");
          to.flush();
          shown = true;
        }
        wait(TICK_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void erase() {
    if (shown) {
      to.print(ERASE);
      to.flush();
      shown = false;
    }
  }

  @Override
  public synchronized void close() {
    if (live && !closed) {
      closed = true;
      erase();
      notifyAll();
    }
  }
}
