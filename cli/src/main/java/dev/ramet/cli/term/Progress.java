// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.term;

import java.io.PrintStream;

/**
 * A progress line on a terminal: it appears after a second and disappears at the end. Does nothing
 * if the output is not a terminal. Thread-safe.
 */
public final class Progress implements AutoCloseable {
  private static final long SILENT_MILLIS = 1000;
  private static final long TICK_MILLIS = 200;
  private static final String SPINNER = "|/-\\";
  private static final String ERASE = "\r\u001b[K";

  private final PrintStream to;
  private final boolean live;
  private final long startNanos = System.nanoTime();
  private String label;
  private boolean shown;
  private boolean closed;

  /**
   * Starts the progress line.
   *
   * @param to the stream to write to
   * @param live whether that is a terminal
   * @param label description of the action
   */
  public Progress(PrintStream to, boolean live, String label) {
    this.to = to;
    this.live = live;
    this.label = label;
    if (live) {
      Thread thread = new Thread(this::drawFrame, "progress");
      thread.setDaemon(true);
      thread.start();
    }
  }

  /** Changes the description. */
  public synchronized void label(String now) {
    label = now;
  }

  /** Prints a permanent line above the progress line. */
  public synchronized void line(String text) {
    erase();
    to.println(text);
  }

  private synchronized void drawFrame() {
    try {
      for (int i = 0; !closed; i++) {
        long millis = (System.nanoTime() - startNanos) / 1_000_000;
        if (millis >= SILENT_MILLIS) {
          char wheel = SPINNER.charAt(i % SPINNER.length());
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
