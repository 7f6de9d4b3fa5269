// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.operation;

import dev.ramet.engine.Metric;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Counts the durations of operations, by kind and outcome, in a histogram. Thread-safe. */
final class OperationMetrics {
  private static final double[] SECONDS = {
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300
  };

  private record Key(String kind, String outcome) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int byKind = kind.compareTo(other.kind);
      return byKind != 0 ? byKind : outcome.compareTo(other.outcome);
    }
  }

  private static final class Sum {
    private final long[] buckets = new long[SECONDS.length];
    private long count;
    private double seconds;
  }

  private final Map<Key, Sum> sums = new TreeMap<>();

  synchronized void add(String kind, String outcome, long nanos) {
    Sum sum = sums.computeIfAbsent(new Key(kind, outcome), key -> new Sum());
    double seconds = nanos / 1e9;
    for (int i = 0; i < SECONDS.length; i++) {
      if (seconds <= SECONDS[i]) {
        sum.buckets[i]++;
      }
    }
    sum.count++;
    sum.seconds += seconds;
  }

  synchronized Metric metric() {
    List<Metric.Sample> samples = new ArrayList<>();
    sums.forEach(
        (key, sum) -> {
          Map<String, String> labels = Map.of("kind", key.kind(), "outcome", key.outcome());
          for (int i = 0; i < SECONDS.length; i++) {
            samples.add(sample("_bucket", key, Double.toString(SECONDS[i]), sum.buckets[i]));
          }
          samples.add(sample("_bucket", key, "+Inf", sum.count));
          samples.add(new Metric.Sample("_sum", labels, sum.seconds));
          samples.add(new Metric.Sample("_count", labels, sum.count));
        });
    return new Metric(
        "ramet_operation_seconds",
        Metric.Type.HISTOGRAM,
        "Time that requests' operations took, by kind and outcome.",
        samples);
  }

  private static Metric.Sample sample(String suffix, Key key, String le, long value) {
    return new Metric.Sample(
        suffix, Map.of("kind", key.kind(), "outcome", key.outcome(), "le", le), (double) value);
  }
}
