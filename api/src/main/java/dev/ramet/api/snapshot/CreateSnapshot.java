// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.snapshot;

import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /sandboxes/{id}/snapshots}; an absent body is an empty one. Immutable and
 * thread-safe.
 *
 * @param name a name to find the snapshot by, {@code [A-Za-z0-9._-]{1,64}}, or such a name and a
 *     tag of the same form with a colon between them; {@code default} without. A snapshot that has
 *     both stays, by its id, and loses the tag to this one; or null
 * @param description a sentence for people; or null
 * @param memoryMode the only memory mode to use, for example {@code incremental}; null to have the
 *     best one chosen
 * @param verify whether to compare the capture with all of the paused machine's memory before it
 *     counts: a difference fails it; the pause then grows with the memory; null for the host's
 *     choice
 * @param memory whether to capture the memory as well; null is yes. Without, the guest's file
 *     systems are frozen while the disk is captured, and what starts from it boots
 * @param ifChanged whether to answer with the last snapshot of the sandbox if its memory and disk
 *     are what that one holds; not together with a name or a description; null for no
 * @param replaces id or name of an older snapshot of the same sandbox that is given up for this
 *     one; or null
 */
public record CreateSnapshot(
    @Nullable String name,
    @Nullable String description,
    @Nullable String memoryMode,
    @Nullable Boolean verify,
    @Nullable Boolean memory,
    @Nullable Boolean ifChanged,
    @Nullable String replaces) {
  /** A snapshot in whatever memory mode is best. */
  public CreateSnapshot(@Nullable String name, @Nullable String description) {
    this(name, description, null, null, null, null, null);
  }
}
