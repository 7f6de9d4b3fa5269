// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /sandboxes/{id}/rollback}. Immutable and thread-safe.
 *
 * @param snapshotID id or name of the snapshot, optionally followed by {@code :tag}; required
 */
public record RollbackRequest(@Nullable String snapshotID) {}
