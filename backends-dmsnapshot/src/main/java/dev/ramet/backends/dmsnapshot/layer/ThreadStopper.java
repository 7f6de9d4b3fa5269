// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot.layer;

/** Stops a backend's background threads. */
public final class ThreadStopper {
  private ThreadStopper() {}

  /**
   * Interrupts a thread and waits until it has ended. If the caller is interrupted meanwhile, its
   * interrupt flag is set afterwards.
   */
  public static void interruptAndJoin(Thread thread) {
    thread.interrupt();
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
