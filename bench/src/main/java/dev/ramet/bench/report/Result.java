// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.report;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * One line of a report. Immutable and thread-safe.
 *
 * @param name the name of the measurement
 * @param unit of {@code p50}, {@code p99} and {@code floor}
 * @param p50 the median
 * @param p99 the 99th percentile
 * @param floor the floor's median, or null if there is none
 * @param ratio the median divided by the floor, or null without a floor
 * @param n the number of values
 * @param target the value not to exceed, or to reach; null for information only
 * @param targetOf the target's subject: {@code ratio} or {@code p50}, which must not exceed it, or
 *     {@code ratio-least}, which must reach it; null without a target
 * @param note a remark that a reader must know, or null
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Result(
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

  /** Returns a result without a floor or target. */
  public static Result of(String name, String unit, Samples samples) {
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

  /** Returns this result with a floor. */
  public Result over(Samples floors) {
    double least = floors.p50();
    @Nullable Double through = least == 0 ? null : round(p50 / least);
    return new Result(name, unit, p50, p99, round(least), through, n, target, targetOf, note);
  }

  /** Returns this result with a maximum for its ratio. */
  public Result ratioAtMost(double most) {
    return new Result(name, unit, p50, p99, floor, ratio, n, most, "ratio", note);
  }

  /** Returns this result with a maximum for its median. */
  public Result atMost(double most) {
    return new Result(name, unit, p50, p99, floor, ratio, n, most, "p50", note);
  }

  /** Returns this result with a minimum for its ratio. */
  public Result ratioAtLeast(double least) {
    return new Result(name, unit, p50, p99, floor, ratio, n, least, LEAST, note);
  }

  /**
   * Returns how many times as long one operation took as another, with a minimum for this ratio.
   */
  public static Result times(String name, Samples slow, Samples fast, double least) {
    return of(name, "ms", slow).over(fast).ratioAtLeast(least);
  }

  /** Returns this result with a note. */
  public Result note(String text) {
    return new Result(name, unit, p50, p99, floor, ratio, n, target, targetOf, text);
  }

  /**
   * Returns whether the target is met; null without a target or without the value it applies to.
   */
  @JsonIgnore
  @Nullable Boolean kept() {
    boolean least = LEAST.equals(targetOf);
    @Nullable Double value = least || "ratio".equals(targetOf) ? ratio : Double.valueOf(p50);
    if (target == null || value == null) {
      return null;
    }
    return least ? value >= target : value <= target;
  }

  /** Rounds to three decimals: finer is noise. */
  private static double round(double value) {
    return Math.round(value * 1000) / 1000.0;
  }
}
