// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench;

import java.util.Arrays;

/** Measured values of one kind, in the order they came. Used by one thread. */
final class Samples {
  private double[] values = new double[16];
  private int count;

  Samples() {}

  static Samples of(double... values) {
    Samples samples = new Samples();
    for (double value : values) {
      samples.add(value);
    }
    return samples;
  }

  void add(double value) {
    if (count == values.length) {
      values = Arrays.copyOf(values, 2 * count);
    }
    values[count++] = value;
  }

  /** The values of another, behind ours. */
  void addAll(Samples more) {
    for (int i = 0; i < more.count; i++) {
      add(more.values[i]);
    }
  }

  /** Without the first {@code many}, which warmed things up. */
  Samples after(int many) {
    return of(Arrays.copyOfRange(values, Math.min(many, count), count));
  }

  /** The first {@code many} only. */
  Samples before(int many) {
    return of(Arrays.copyOf(values, Math.min(many, count)));
  }

  int count() {
    return count;
  }

  /**
   * The smallest value that at least this share of all values does not exceed (nearest rank), so
   * always one that was measured. Of fewer than a hundred values the 99th percentile is the
   * largest.
   *
   * @param percent above 0, at most 100
   * @throws IllegalStateException when there are no values
   */
  double percentile(double percent) {
    if (count == 0) {
      throw new IllegalStateException("nothing was measured");
    }
    double[] sorted = Arrays.copyOf(values, count);
    Arrays.sort(sorted);
    int rank = (int) Math.ceil(percent / 100 * count);
    return sorted[Math.max(1, Math.min(count, rank)) - 1];
  }

  /** The median. */
  double p50() {
    return percentile(50);
  }

  /** What all but the worst hundredth stay within. */
  double p99() {
    return percentile(99);
  }
}
