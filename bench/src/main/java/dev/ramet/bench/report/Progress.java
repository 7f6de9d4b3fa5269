// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.report;

/** Reports progress to a waiting person; standard output is for results alone. */
public final class Progress {
  private Progress() {}

  public static void say(String what) {
    System.err.println("bench: " + what);
  }
}
