// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.util.List;
import java.util.Map;

/**
 * One quantity the engine keeps count of, as Prometheus has it: a family of samples told apart by
 * their labels. Times are in seconds, sizes in bytes.
 *
 * @param name the family's name
 * @param type how it moves
 * @param help what it means, in one line
 * @param samples its values at the time of asking
 */
public record Metric(String name, Type type, String help, List<Sample> samples) {
  /** Copies the list. */
  public Metric {
    samples = List.copyOf(samples);
  }

  /** How a quantity moves. */
  public enum Type {
    /** Only up, from 0 when the engine is opened. */
    COUNTER,
    /** Up and down. */
    GAUGE,
    /** Counts of observations by upper bound, with their sum. */
    HISTOGRAM
  }

  /**
   * One value.
   *
   * @param suffix what stands behind the family's name, or empty
   * @param labels in the order they are shown
   * @param value the value
   */
  public record Sample(String suffix, Map<String, String> labels, double value) {}
}
