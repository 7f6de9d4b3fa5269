// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.storage;

import dev.ramet.bench.report.Samples;

/**
 * Durations, in milliseconds, of some generations of a history. Used by one thread.
 *
 * @param clones of the clone alone
 * @param late of the clone of a disk that was written since its preparation
 * @param whole of all work on a generation
 */
record HistorySeries(Samples clones, Samples late, Samples whole) {
  HistorySeries() {
    this(new Samples(), new Samples(), new Samples());
  }
}
