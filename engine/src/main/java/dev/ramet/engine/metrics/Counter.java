// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.metrics;

import dev.ramet.engine.Metric;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.DoubleAdder;

/**
 * A quantity that only increases, counted separately for each combination of label values.
 * Thread-safe.
 */
public final class Counter {
  private final String name;
  private final String help;
  private final List<String> labels;
  private final Map<List<String>, DoubleAdder> values = new ConcurrentHashMap<>();

  Counter(String name, String help, List<String> labels) {
    this.name = name;
    this.help = help;
    this.labels = labels;
  }

  /** Adds one. */
  public void increment(String... labelValues) {
    add(1, labelValues);
  }

  /** Adds {@code amount}; the label values are in the order of the labels. */
  public void add(double amount, String... labelValues) {
    values.computeIfAbsent(List.of(labelValues), key -> new DoubleAdder()).add(amount);
  }

  Metric read() {
    return new Metric(
        name,
        Metric.Type.COUNTER,
        help,
        values.entrySet().stream()
            .map(e -> new Metric.Sample("", Labels.zip(labels, e.getKey()), e.getValue().sum()))
            .toList());
  }
}
