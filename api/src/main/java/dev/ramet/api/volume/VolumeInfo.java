// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.volume;

import org.jspecify.annotations.Nullable;

/**
 * A volume: a directory tree on the host that sandboxes share. Immutable and thread-safe.
 *
 * @param volumeID stable id
 * @param name its unique name
 * @param token the token that grants access to its files, sent as {@code Authorization: Bearer};
 *     null in lists
 * @param domain domain of the host that stores its files, or null for the host that responds
 */
public record VolumeInfo(
    String volumeID, String name, @Nullable String token, @Nullable String domain) {}
