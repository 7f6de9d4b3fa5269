// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.access;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Limits the request rate of each caller with a token bucket, which holds up to two seconds' worth
 * of requests. Thread-safe.
 */
final class RateLimit {
  private static final double BURST_SECONDS = 2;
  private static final int MAX_CALLERS = 10_000;
  private static final double NANOS = 1e9;

  private final int perSecond;
  private final LongSupplier nanoTime;
  private final Map<String, Bucket> buckets = new HashMap<>();

  private static final class Bucket {
    private double left;
    private long at;

    Bucket(double left, long at) {
      this.left = left;
      this.at = at;
    }
  }

  /**
   * Creates a limit.
   *
   * @param perSecond requests per second, 0 for no limit
   * @param nanoTime a clock such as {@link System#nanoTime}
   */
  RateLimit(int perSecond, LongSupplier nanoTime) {
    this.perSecond = perSecond;
    this.nanoTime = nanoTime;
  }

  /**
   * Counts one request of a caller. Returns 0, or the number of whole seconds to wait before trying
   * again.
   */
  synchronized int countRequest(String caller) {
    if (perSecond == 0) {
      return 0;
    }
    long now = nanoTime.getAsLong();
    double full = perSecond * BURST_SECONDS;
    if (buckets.size() >= MAX_CALLERS && !buckets.containsKey(caller)) {
      // A full bucket is equivalent to a new one.
      buckets.values().removeIf(bucket -> level(bucket, now) >= full);
      if (buckets.size() >= MAX_CALLERS) {
        return 1;
      }
    }
    Bucket bucket = buckets.computeIfAbsent(caller, any -> new Bucket(full, now));
    bucket.left = Math.min(full, level(bucket, now));
    bucket.at = now;
    if (bucket.left < 1) {
      return (int) Math.max(1, Math.ceil((1 - bucket.left) / perSecond));
    }
    bucket.left--;
    return 0;
  }

  private double level(Bucket bucket, long now) {
    return bucket.left + (now - bucket.at) / NANOS * perSecond;
  }
}
