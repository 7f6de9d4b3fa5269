// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.host;

/**
 * The response of {@code GET /health}. Immutable and thread-safe.
 *
 * @param status {@code ok}
 * @param sandboxes number of sandboxes on record; 0 while the engine is still opening
 */
public record Health(String status, int sandboxes) {}
