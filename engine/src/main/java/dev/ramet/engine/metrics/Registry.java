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

  /** An empty registry. */
  public Registry() {}

  /** Begins a count. */
  public Counter counter(String name, String help, String... labels) {
    Counter counter = new Counter(name, help, List.of(labels));
    families.add(counter::read);
    return counter;
  }

  /**
   * Begins a distribution.
   *
   * @param bounds upper bounds of its buckets, ascending; one without a bound is added
   */
  public Histogram histogram(String name, String help, double[] bounds, String... labels) {
    Histogram histogram = new Histogram(name, help, bounds.clone(), List.of(labels));
    families.add(histogram::read);
    return histogram;
  }

  /**
   * Tells a quantity that somebody else keeps.
   *
   * @param label the one label
   * @param values asked for at each reading: values by label
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

  /** How a constant is spelled in a label. */
  public static String label(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** All metrics now, in the order they were made. */
  public List<Metric> read() {
    return families.stream().map(Supplier::get).toList();
  }
}
