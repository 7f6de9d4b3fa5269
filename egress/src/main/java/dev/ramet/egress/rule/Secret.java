// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.rule;

import java.time.Instant;
import java.util.Map;

/**
 * Everything about a secret that may be shown, which excludes its value. Immutable and thread-safe.
 *
 * @param id stable id, which begins with {@value Secrets#ID_PREFIX}
 * @param name the name in lower case, unique among existing secrets
 * @param version how many times it was given a value
 * @param metadata the creator's own key-value pairs
 * @param createdAt when it was created
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
