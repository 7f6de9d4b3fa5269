// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.view;

import java.util.LinkedHashMap;
import java.util.Map;

/** Converts to the units of the wire form. */
public final class Units {
  static final long MIB = 1024 * 1024;

  private Units() {}

  static Map<String, Double> millis(Map<String, Long> nanos) {
    Map<String, Double> millis = new LinkedHashMap<>();
    nanos.forEach((phase, n) -> millis.put(phase, millis(n)));
    return millis;
  }

  /** Returns milliseconds with three decimals: readable, and finer than the clock's accuracy. */
  public static double millis(long nanos) {
    return Math.round(nanos / 1_000.0) / 1_000.0;
  }
}
