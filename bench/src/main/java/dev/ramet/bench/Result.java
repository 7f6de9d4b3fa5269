// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * One line of a report. Immutable and thread-safe.
 *
 * @param name what was measured
 * @param unit of {@code p50}, {@code p99} and {@code floor}
 * @param p50 the median
 * @param p99 the 99th percentile
 * @param floor the floor's median, or null when there is none
 * @param ratio median through floor, or null when there is no floor
 * @param n how many values
 * @param target what must not be exceeded, or must be reached; null for information only
 * @param targetOf what the target is for: {@code ratio} or {@code p50}, which must not exceed it,
 *     or {@code ratio-least}, which must reach it; null without a target
 * @param note what a reader must know, or null
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Result(
    String name,
    String unit,
    double p50,
    double p99,
    @JsonInclude @Nullable Double floor,
    @JsonInclude @Nullable Double ratio,
    int n,
    @Nullable Double target,
    @Nullable String targetOf,
    @Nullable String note) {

  private static final String LEAST = "ratio-least";

  /** Measured values without a floor or target. */
  static Result of(String name, String unit, Samples samples) {
    return new Result(
        name,
        unit,
        round(samples.p50()),
        round(samples.p99()),
        null,
        null,
        samples.count(),
        null,
        null,
        null);
  }

  /** The same over a floor. */
  Result over(Samples floors) {
    double least = floors.p50();
    @Nullable Double through = least == 0 ? null : round(p50 / least);
    return new Result(name, unit, p50, p99, round(least), through, n, target, targetOf, note);
  }

  /** The same with a target for its ratio. */
  Result ratioAtMost(double most) {
    return new Result(name, unit, p50, p99, floor, ratio, n, most, "ratio", note);
  }

  /** The same with a target for its median. */
  Result atMost(double most) {
    return new Result(name, unit, p50, p99, floor, ratio, n, most, "p50", note);
  }

  /** The same with a target that its ratio must reach. */
  Result ratioAtLeast(double least) {
    return new Result(name, unit, p50, p99, floor, ratio, n, least, LEAST, note);
  }

  /** How many times as long one thing took as another, which it should by so much at least. */
  static Result times(String name, Samples slow, Samples fast, double least) {
    return of(name, "ms", slow).over(fast).ratioAtLeast(least);
  }

  /** The same with a note. */
  Result note(String text) {
    return new Result(name, unit, p50, p99, floor, ratio, n, target, targetOf, text);
  }

  /** Whether the target is kept; null without a target or without what it is for. */
  @JsonIgnore
  @Nullable Boolean kept() {
    boolean least = LEAST.equals(targetOf);
    @Nullable Double value = least || "ratio".equals(targetOf) ? ratio : Double.valueOf(p50);
    if (target == null || value == null) {
      return null;
    }
    return least ? value >= target : value <= target;
  }

  /** Three decimals: finer is noise. */
  private static double round(double value) {
    return Math.round(value * 1000) / 1000.0;
  }
}
