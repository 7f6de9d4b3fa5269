// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench;

/** Tells a waiting person what goes on; results alone go to standard output. */
final class Progress {
  private Progress() {}

  static void say(String what) {
    System.err.println("bench: " + what);
  }
}
