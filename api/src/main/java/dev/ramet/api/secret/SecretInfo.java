// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.secret;

import java.util.Map;

/**
 * What is told of a secret: never its value. Times are RFC 3339 in UTC. Immutable and thread-safe
 * as far as its map is.
 *
 * @param secretID stable id
 * @param name unique among those that are there
 * @param currentVersion how often it was given a value
 * @param metadata the creator's own key-value pairs
 * @param createdAt when it was made
 * @param updatedAt when it was last given a value
 */
public record SecretInfo(
    String secretID,
    String name,
    long currentVersion,
    Map<String, String> metadata,
    String createdAt,
    String updatedAt) {}
