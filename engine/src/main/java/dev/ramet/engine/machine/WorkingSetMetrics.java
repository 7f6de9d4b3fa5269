// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import dev.ramet.engine.metrics.Counter;
import dev.ramet.engine.metrics.Registry;

/** Counts what becomes of working sets. Thread-safe. */
final class WorkingSetMetrics {
  private final Counter outcomes;
  private final Counter bytes;

  WorkingSetMetrics(Registry registry) {
    this.outcomes =
        registry.counter(
            "ramet_working_sets_total",
            "Working sets of snapshots: recorded after a restore, prefetched for a restore,"
                + " already in the page cache, or ignored because the file is invalid.",
            "outcome");
    this.bytes =
        registry.counter(
            "ramet_working_set_bytes_total",
            "Bytes of working sets: recorded, prefetched, and found in the page cache.",
            "what");
  }

  /** Counts a working set that was read ahead, or found in the page cache. */
  void prefetched(long readBytes, long cachedBytes) {
    outcomes.increment(readBytes > 0 ? "prefetched" : "cached");
    bytes.add((double) readBytes, "prefetched");
    bytes.add((double) cachedBytes, "cached");
  }

  /** Counts a working set that was recorded. */
  void recorded(long recordedBytes) {
    outcomes.increment("recorded");
    bytes.add((double) recordedBytes, "recorded");
  }

  /** Counts a file that holds no working set that can be used. */
  void ignored() {
    outcomes.increment("ignored");
  }

  /** Counts work that failed. */
  void failed() {
    outcomes.increment("failed");
  }
}
