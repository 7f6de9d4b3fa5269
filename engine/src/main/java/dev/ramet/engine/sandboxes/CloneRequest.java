// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandboxes;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A request for clones of a sandbox.
 *
 * @param count the number of clones, 1 to 100
 * @param concurrency how many start at the same time, 1 to 100, or null for the host's default
 * @param timeout the time after which each clone is killed automatically, or null for never
 * @param memoryMode id of the only memory mode allowed for the capture that the clones start from
 *     (unless the parent is paused) and for captures of the clones; null for the parent's setting
 */
public record CloneRequest(
    int count,
    @Nullable Integer concurrency,
    @Nullable Duration timeout,
    @Nullable String memoryMode) {
  /** Creates a request for clones that use the same memory modes as their parent. */
  public CloneRequest(int count, @Nullable Integer concurrency, @Nullable Duration timeout) {
    this(count, concurrency, timeout, null);
  }
}
