// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.vm;

/**
 * Runs actions that even an interrupted thread must complete: a machine must not stay paused
 * because the thread that paused it was interrupted.
 */
final class UninterruptedRunner {
  private UninterruptedRunner() {}

  /** Runs the action with the interrupt flag cleared, and restores the flag afterwards. */
  static void run(Runnable action) {
    boolean interrupted = Thread.interrupted();
    try {
      action.run();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
