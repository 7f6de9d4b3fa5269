// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A request for clones.
 *
 * @param count how many, 1 to 100
 * @param concurrency how many start at the same time, 1 to 100, or null for the host's default
 * @param timeout after which each is killed by itself, or null for never
 * @param memoryMode id of the only memory mode for the capture that they start from, unless the
 *     parent is paused, and for captures of the clones; or null for what holds for their parent
 */
public record CloneRequest(
    int count,
    @Nullable Integer concurrency,
    @Nullable Duration timeout,
    @Nullable String memoryMode) {
  /** Clones for which the same memory modes may be used as for their parent. */
  public CloneRequest(int count, @Nullable Integer concurrency, @Nullable Duration timeout) {
    this(count, concurrency, timeout, null);
  }
}
