// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.time.Instant;
import java.util.Map;

/**
 * What may be told of a secret: all but its value. Immutable and thread-safe.
 *
 * @param id stable id, which begins with {@value Secrets#ID_PREFIX}
 * @param name unique among those that are there, in small letters
 * @param version how often it was given a value
 * @param metadata the creator's own key-value pairs
 * @param createdAt when it was made
 * @param updatedAt when it was last given a value
 */
public record Secret(
    String id,
    String name,
    long version,
    Map<String, String> metadata,
    Instant createdAt,
    Instant updatedAt) {
  /** Copies the map. */
  public Secret {
    metadata = Map.copyOf(metadata);
  }
}
