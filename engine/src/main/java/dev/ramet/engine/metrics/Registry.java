// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.metrics;

import dev.ramet.engine.Metric;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** The metrics of one engine. Thread-safe; counting neither blocks nor fails. */
public final class Registry {
  private final List<Supplier<Metric>> families = new CopyOnWriteArrayList<>();

  /** Creates an empty registry. */
  public Registry() {}

  /** Registers a counter. */
  public Counter counter(String name, String help, String... labels) {
    Counter counter = new Counter(name, help, List.of(labels));
    families.add(counter::read);
    return counter;
  }

  /**
   * Registers a histogram.
   *
   * @param bounds upper bounds of its buckets, ascending; a bucket without a bound is added
   */
  public Histogram histogram(String name, String help, double[] bounds, String... labels) {
    Histogram histogram = new Histogram(name, help, bounds.clone(), List.of(labels));
    families.add(histogram::read);
    return histogram;
  }

  /**
   * Registers a gauge whose values are kept elsewhere.
   *
   * @param label the name of its only label
   * @param values called at each reading; returns the values by label
   */
  public void gauge(String name, String help, String label, Supplier<Map<String, Long>> values) {
    families.add(
        () ->
            new Metric(
                name,
                Metric.Type.GAUGE,
                help,
                values.get().entrySet().stream()
                    .map(e -> new Metric.Sample("", Map.of(label, e.getKey()), e.getValue()))
                    .toList()));
  }

  /** Returns the label value for an enum constant. */
  public static String label(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns all metrics with their current values, in the order they were registered. */
  public List<Metric> read() {
    return families.stream().map(Supplier::get).toList();
  }
}
