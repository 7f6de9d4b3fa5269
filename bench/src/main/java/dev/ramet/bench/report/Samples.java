// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.report;

import java.util.Arrays;

/** Measured values of one kind, in the order they were added. Used by one thread. */
public final class Samples {
  private double[] values = new double[16];
  private int count;

  public Samples() {}

  public static Samples of(double... values) {
    Samples samples = new Samples();
    for (double value : values) {
      samples.add(value);
    }
    return samples;
  }

  public void add(double value) {
    if (count == values.length) {
      values = Arrays.copyOf(values, 2 * count);
    }
    values[count++] = value;
  }

  /** Appends the values of another object. */
  public void addAll(Samples more) {
    for (int i = 0; i < more.count; i++) {
      add(more.values[i]);
    }
  }

  /** Returns the values without the first {@code many}, which were for warming up. */
  public Samples after(int many) {
    return of(Arrays.copyOfRange(values, Math.min(many, count), count));
  }

  /** Returns only the first {@code many} values. */
  public Samples before(int many) {
    return of(Arrays.copyOf(values, Math.min(many, count)));
  }

  public int count() {
    return count;
  }

  /**
   * Returns the smallest value that at least this share of all values does not exceed (nearest
   * rank), which is always a measured one. With fewer than a hundred values the 99th percentile is
   * the largest.
   *
   * @param percent above 0, at most 100
   * @throws IllegalStateException if there are no values
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

  /** Returns the median. */
  public double p50() {
    return percentile(50);
  }

  /** Returns the 99th percentile. */
  double p99() {
    return percentile(99);
  }
}
