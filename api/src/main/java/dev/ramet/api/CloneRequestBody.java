// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api;

import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /sandboxes/{id}/clone} and {@code POST /sandboxes/{id}/fork}; an absent
 * body is an empty one. Immutable and thread-safe.
 *
 * @param count how many, 1 to 100; null for 1
 * @param concurrency how many start at the same time, 1 to 100; null for the host's default
 * @param timeout seconds until each is killed by itself; -1 for never; null for 300 (clone) or 15
 *     (fork)
 */
public record CloneRequestBody(
    @Nullable Integer count, @Nullable Integer concurrency, @Nullable Integer timeout) {}
