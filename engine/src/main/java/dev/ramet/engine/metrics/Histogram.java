// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.metrics;

import dev.ramet.engine.Metric;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;

/**
 * A distribution of observed values, counted separately for each combination of label values.
 * Thread-safe.
 */
public final class Histogram {
  private final String name;
  private final String help;
  private final double[] bounds;
  private final List<String> labels;
  private final Map<List<String>, Buckets> values = new ConcurrentHashMap<>();

  Histogram(String name, String help, double[] bounds, List<String> labels) {
    this.name = name;
    this.help = help;
    this.bounds = bounds;
    this.labels = labels;
  }

  private static final class Buckets {
    private final LongAdder[] counts;
    private final DoubleAdder sum = new DoubleAdder();

    Buckets(int size) {
      counts = new LongAdder[size];
      for (int i = 0; i < size; i++) {
        counts[i] = new LongAdder();
      }
    }
  }

  /** Counts one observation; the label values are in the order of the labels. */
  public void observe(double value, String... labelValues) {
    Buckets buckets =
        values.computeIfAbsent(List.of(labelValues), key -> new Buckets(bounds.length + 1));
    int at = 0;
    while (at < bounds.length && value > bounds[at]) {
      at++;
    }
    buckets.counts[at].increment();
    buckets.sum.add(value);
  }

  Metric read() {
    List<Metric.Sample> samples = new ArrayList<>();
    values.forEach((key, buckets) -> read(Labels.zip(labels, key), buckets, samples));
    return new Metric(name, Metric.Type.HISTOGRAM, help, samples);
  }

  /**
   * Reads one distribution. Each bucket counts every value up to its bound, so the last one has the
   * total.
   */
  private void read(Map<String, String> base, Buckets buckets, List<Metric.Sample> into) {
    long total = 0;
    for (int i = 0; i <= bounds.length; i++) {
      total += buckets.counts[i].sum();
      String bound = i == bounds.length ? "+Inf" : Double.toString(bounds[i]);
      into.add(new Metric.Sample("_bucket", Labels.withLabel(base, "le", bound), total));
    }
    into.add(new Metric.Sample("_sum", base, buckets.sum.sum()));
    into.add(new Metric.Sample("_count", base, total));
  }
}
