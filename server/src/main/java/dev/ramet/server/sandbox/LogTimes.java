// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.sandbox;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Remembers how long logs were at which times, so that a line has the time when it was found.
 * Remembers the logs that were read last. Thread-safe.
 */
final class LogTimes {
  private static final int MAX_LOGS = 2000;
  private static final int MAX_MARKS = 1000;

  private final Map<String, NavigableMap<Long, Instant>> byLog =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, NavigableMap<Long, Instant>> eldest) {
          return size() > MAX_LOGS;
        }
      };

  /**
   * Records that a log has a size, and returns the times by position. A log that became shorter was
   * replaced.
   *
   * @param at when its last byte was written, as far as the host knows
   */
  synchronized NavigableMap<Long, Instant> observe(String log, long sizeBytes, Instant at) {
    NavigableMap<Long, Instant> marks = byLog.computeIfAbsent(log, name -> new TreeMap<>());
    if (!marks.isEmpty() && marks.lastKey() > sizeBytes) {
      marks.clear();
    }
    marks.putIfAbsent(sizeBytes, at);
    if (marks.size() > MAX_MARKS) {
      marks.pollFirstEntry();
    }
    return new TreeMap<>(marks);
  }
}
