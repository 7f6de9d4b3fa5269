// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.report;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Objects;
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
    return builder()
        .name(name)
        .unit(unit)
        .p50(round(samples.p50()))
        .p99(round(samples.p99()))
        .n(samples.count())
        .build();
  }

  /** Returns this result with a floor. */
  public Result over(Samples floors) {
    double least = floors.p50();
    @Nullable Double through = least == 0 ? null : round(p50 / least);
    return toBuilder().floor(round(least)).ratio(through).build();
  }

  /** Returns this result with a maximum for its ratio. */
  public Result ratioAtMost(double most) {
    return toBuilder().target(most).targetOf("ratio").build();
  }

  /** Returns this result with a maximum for its median. */
  public Result atMost(double most) {
    return toBuilder().target(most).targetOf("p50").build();
  }

  /** Returns this result with a minimum for its ratio. */
  public Result ratioAtLeast(double least) {
    return toBuilder().target(least).targetOf(LEAST).build();
  }

  /**
   * Returns how many times as long one operation took as another, with a minimum for this ratio.
   */
  public static Result times(String name, Samples slow, Samples fast, double least) {
    return of(name, "ms", slow).over(fast).ratioAtLeast(least);
  }

  /** Returns this result with a note. */
  public Result note(String text) {
    return toBuilder().note(text).build();
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

  /** Returns an empty builder. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns a builder with the components of this record. */
  public Builder toBuilder() {
    return new Builder()
        .name(name)
        .unit(unit)
        .p50(p50)
        .p99(p99)
        .floor(floor)
        .ratio(ratio)
        .n(n)
        .target(target)
        .targetOf(targetOf)
        .note(note);
  }

  /**
   * Takes the components by name. Numbers, collections and components that may be null need not be
   * set; {@link #build} fails without any of the others.
   */
  public static final class Builder {
    private @Nullable String name;
    private @Nullable String unit;
    private double p50;
    private double p99;
    private @Nullable Double floor;
    private @Nullable Double ratio;
    private int n;
    private @Nullable Double target;
    private @Nullable String targetOf;
    private @Nullable String note;

    private Builder() {}

    public Builder name(String value) {
      name = value;
      return this;
    }

    public Builder unit(String value) {
      unit = value;
      return this;
    }

    public Builder p50(double value) {
      p50 = value;
      return this;
    }

    public Builder p99(double value) {
      p99 = value;
      return this;
    }

    public Builder floor(@Nullable Double value) {
      floor = value;
      return this;
    }

    public Builder ratio(@Nullable Double value) {
      ratio = value;
      return this;
    }

    public Builder n(int value) {
      n = value;
      return this;
    }

    public Builder target(@Nullable Double value) {
      target = value;
      return this;
    }

    public Builder targetOf(@Nullable String value) {
      targetOf = value;
      return this;
    }

    public Builder note(@Nullable String value) {
      note = value;
      return this;
    }

    /** Returns a record of the components. */
    public Result build() {
      return new Result(
          Objects.requireNonNull(name, "name"),
          Objects.requireNonNull(unit, "unit"),
          p50,
          p99,
          floor,
          ratio,
          n,
          target,
          targetOf,
          note);
    }
  }
}
