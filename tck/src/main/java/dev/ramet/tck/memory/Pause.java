// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.memory;

/** Waits for kernel work that signals no completion. */
final class Pause {
  private static final long MILLIS = 100;

  private Pause() {}

  static void shortly() {
    try {
      Thread.sleep(MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
