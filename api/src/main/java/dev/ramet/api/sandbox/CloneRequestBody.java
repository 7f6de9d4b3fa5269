// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /sandboxes/{id}/clone} and {@code POST /sandboxes/{id}/fork}; an absent
 * body is an empty one. Immutable and thread-safe.
 *
 * @param count how many, 1 to 100; null for 1
 * @param concurrency how many start at the same time, 1 to 100; null for the host's default
 * @param timeout seconds until each is killed by itself; -1 for never; null for 300 (clone) or 15
 *     (fork)
 * @param memoryMode the only memory mode for the capture that the new sandboxes start from, unless
 *     the one they are made of is paused, and for captures of them; null for what holds for the one
 *     they are made of
 */
public record CloneRequestBody(
    @Nullable Integer count,
    @Nullable Integer concurrency,
    @Nullable Integer timeout,
    @Nullable String memoryMode) {
  /** Clones for which the same memory modes may be used. */
  public CloneRequestBody(
      @Nullable Integer count, @Nullable Integer concurrency, @Nullable Integer timeout) {
    this(count, concurrency, timeout, null);
  }
}
