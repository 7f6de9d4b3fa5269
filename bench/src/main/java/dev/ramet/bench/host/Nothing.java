// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.host;

/** A main class that does nothing, to measure the start of a JVM. */
final class Nothing {
  private Nothing() {}

  /** Does nothing. */
  public static void main(String[] arguments) {}
}
