// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The load of a guest at one time, as the guest reports it. Sizes are in bytes. Immutable and
 * thread-safe.
 *
 * @param timestamp RFC 3339 in UTC
 * @param timestampUnix the same time in seconds since 1970
 * @param cpuCount virtual CPUs
 * @param cpuUsedPct CPU use since the previous sample in percent; 100 means all CPUs were busy
 * @param memUsed memory that is not available
 * @param memTotal memory that the guest's kernel manages
 * @param memCache memory that holds file contents
 * @param diskUsed used space of the root file system
 * @param diskTotal size of the root file system
 */
public record SandboxMetric(
    String timestamp,
    long timestampUnix,
    int cpuCount,
    double cpuUsedPct,
    long memUsed,
    long memTotal,
    long memCache,
    long diskUsed,
    long diskTotal) {
  /** Returns an empty builder. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Takes the components by name. Numbers, collections and components that may be null need not be
   * set; {@link #build} fails without any of the others.
   */
  public static final class Builder {
    private @Nullable String timestamp;
    private long timestampUnix;
    private int cpuCount;
    private double cpuUsedPct;
    private long memUsed;
    private long memTotal;
    private long memCache;
    private long diskUsed;
    private long diskTotal;

    private Builder() {}

    public Builder timestamp(String value) {
      timestamp = value;
      return this;
    }

    public Builder timestampUnix(long value) {
      timestampUnix = value;
      return this;
    }

    public Builder cpuCount(int value) {
      cpuCount = value;
      return this;
    }

    public Builder cpuUsedPct(double value) {
      cpuUsedPct = value;
      return this;
    }

    public Builder memUsed(long value) {
      memUsed = value;
      return this;
    }

    public Builder memTotal(long value) {
      memTotal = value;
      return this;
    }

    public Builder memCache(long value) {
      memCache = value;
      return this;
    }

    public Builder diskUsed(long value) {
      diskUsed = value;
      return this;
    }

    public Builder diskTotal(long value) {
      diskTotal = value;
      return this;
    }

    /** Returns a record of the components. */
    public SandboxMetric build() {
      return new SandboxMetric(
          Objects.requireNonNull(timestamp, "timestamp"),
          timestampUnix,
          cpuCount,
          cpuUsedPct,
          memUsed,
          memTotal,
          memCache,
          diskUsed,
          diskTotal);
    }
  }
}
