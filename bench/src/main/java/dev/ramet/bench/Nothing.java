// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench;

/** Does nothing: what starting a JVM costs. */
final class Nothing {
  private Nothing() {}

  /** Does nothing. */
  public static void main(String[] arguments) {}
}
