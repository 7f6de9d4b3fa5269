// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /sandboxes/{id}/clone} and {@code POST /sandboxes/{id}/fork}; an absent
 * body counts as an empty one. Immutable and thread-safe.
 *
 * @param count number of new sandboxes, 1 to 100; null for 1
 * @param concurrency how many start at the same time, 1 to 100; null for the host's default
 * @param timeout seconds until each new sandbox is killed; -1 for never; null for 300 (clone) or 15
 *     (fork)
 * @param memoryMode the only memory mode for captures of the new sandboxes and for the capture they
 *     start from (a paused source needs no such capture); null for the setting of the source
 */
public record CloneRequestBody(
    @Nullable Integer count,
    @Nullable Integer concurrency,
    @Nullable Integer timeout,
    @Nullable String memoryMode) {
  /** Creates a request whose clones inherit the memory mode of their source. */
  public CloneRequestBody(
      @Nullable Integer count, @Nullable Integer concurrency, @Nullable Integer timeout) {
    this(count, concurrency, timeout, null);
  }
}
