// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.secret;

import java.util.Map;

/**
 * A secret without its value, which is never returned. Times are RFC 3339 in UTC. Immutable and
 * thread-safe if its map is.
 *
 * @param secretID stable id
 * @param name unique among the existing secrets
 * @param currentVersion number of values it has had
 * @param metadata key-value pairs of the creator
 * @param createdAt when it was created
 * @param updatedAt when its value last changed
 */
public record SecretInfo(
    String secretID,
    String name,
    long currentVersion,
    Map<String, String> metadata,
    String createdAt,
    String updatedAt) {}
