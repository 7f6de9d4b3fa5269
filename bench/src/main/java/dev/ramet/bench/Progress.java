// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench;

/** Reports progress to a waiting person; standard output is for results alone. */
final class Progress {
  private Progress() {}

  static void say(String what) {
    System.err.println("bench: " + what);
  }
}
