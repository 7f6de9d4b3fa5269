// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

/** Waits for threads that are about to end. */
final class ThreadJoiner {
  private ThreadJoiner() {}

  /** Waits until a thread has ended; an interrupt is deferred until then. */
  static void joinUninterruptibly(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
