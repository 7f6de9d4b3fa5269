// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.volume;

import org.jspecify.annotations.Nullable;

/**
 * A volume: a directory tree on the host that sandboxes share. Immutable and thread-safe.
 *
 * @param volumeID stable id
 * @param name its name, which no other has
 * @param token what lets whoever brings it as {@code Authorization: Bearer} at its files; null in
 *     lists
 * @param domain domain of the host that has its files, or null for the one that answers
 */
public record VolumeInfo(
    String volumeID, String name, @Nullable String token, @Nullable String domain) {}
