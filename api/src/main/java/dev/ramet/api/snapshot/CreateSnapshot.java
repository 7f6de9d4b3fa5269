// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.snapshot;

import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /sandboxes/{id}/snapshots}; an absent body counts as an empty one.
 * Immutable and thread-safe.
 *
 * @param name a name to find the snapshot by, {@code [A-Za-z0-9._-]{1,64}}, optionally followed by
 *     a colon and a tag of the same form, by default {@code default}; or null. An older snapshot
 *     with this name and tag loses the tag and stays reachable by its id
 * @param description a sentence for people; or null
 * @param memoryMode the only memory mode to use, for example {@code incremental}; null to use the
 *     best one
 * @param verify whether to compare the capture with the whole memory of the paused machine before
 *     accepting it; a difference fails it, and the pause grows with the memory; null for the host's
 *     default
 * @param memory whether to capture the memory as well; null for yes. Without memory, the guest's
 *     file systems are frozen while the disk is captured, and sandboxes created from the snapshot
 *     boot
 * @param ifChanged whether to return the last snapshot of the sandbox if its memory and disk have
 *     not changed since; cannot be combined with a name or a description; null for no
 * @param replaces id or name of an older snapshot of the same sandbox that this one replaces; or
 *     null
 */
public record CreateSnapshot(
    @Nullable String name,
    @Nullable String description,
    @Nullable String memoryMode,
    @Nullable Boolean verify,
    @Nullable Boolean memory,
    @Nullable Boolean ifChanged,
    @Nullable String replaces) {
  /** Creates a request that uses the best memory mode. */
  public CreateSnapshot(@Nullable String name, @Nullable String description) {
    this(name, description, null, null, null, null, null);
  }
}
