// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.util.List;
import java.util.Map;

/**
 * One quantity that the engine measures, in the form of Prometheus: a family of samples that differ
 * in their labels. Times are in seconds, sizes in bytes.
 *
 * @param name the family's name
 * @param type how the value changes
 * @param help what it means, in one line
 * @param samples its values at the time of the query
 */
public record Metric(String name, Type type, String help, List<Sample> samples) {
  /** Copies the list. */
  public Metric {
    samples = List.copyOf(samples);
  }

  /** How a quantity changes. */
  public enum Type {
    /** Only increases, starting from 0 when the engine is opened. */
    COUNTER,
    /** Increases and decreases. */
    GAUGE,
    /** Counts observations by upper bound, and sums them. */
    HISTOGRAM
  }

  /**
   * One value.
   *
   * @param suffix the suffix after the family's name, or empty
   * @param labels the labels, in display order
   * @param value the value
   */
  public record Sample(String suffix, Map<String, String> labels, double value) {}
}
