// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu;

/**
 * What has to be done also by a thread that is to stop: a machine must not stand still because who
 * stopped it was interrupted.
 */
final class Uninterrupted {
  private Uninterrupted() {}

  /** Does it as if the thread had not been interrupted yet, and leaves it interrupted if it was. */
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
