// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The file of secrets, as persisted.
 *
 * @param format of this record
 * @param secrets all of them, oldest first
 */
public record SecretsRecord(int format, List<Entry> secrets) {
  /** The only format so far. */
  public static final int FORMAT = 1;

  /**
   * A secret.
   *
   * @param id stable id
   * @param name unique
   * @param value never told
   * @param version how often it was given a value
   * @param metadata the creator's own pairs
   * @param createdAt when it was made
   * @param updatedAt when it was last given a value
   */
  public record Entry(
      String id,
      String name,
      String value,
      long version,
      Map<String, String> metadata,
      Instant createdAt,
      Instant updatedAt) {
    /** Refuses what is not whole. */
    public Entry {
      Objects.requireNonNull(id);
      Objects.requireNonNull(name);
      Objects.requireNonNull(value);
      Objects.requireNonNull(createdAt);
      Objects.requireNonNull(updatedAt);
      metadata = Map.copyOf(metadata);
    }

    /** Says whose it is, never the value. */
    @Override
    public String toString() {
      return id + " " + name;
    }
  }
}
