// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.root;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The persisted form of the file of secrets.
 *
 * @param format version of this record
 * @param secrets all secrets, oldest first
 */
public record SecretsRecord(int format, List<Entry> secrets) {
  /** The only format so far. */
  public static final int FORMAT = 1;

  /**
   * A secret.
   *
   * @param id stable id
   * @param name unique name
   * @param value the value, which is never shown
   * @param version how many times it was given a value
   * @param metadata the creator's own key-value pairs
   * @param createdAt when it was created
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
    /** Refuses an incomplete entry. */
    public Entry {
      Objects.requireNonNull(id);
      Objects.requireNonNull(name);
      Objects.requireNonNull(value);
      Objects.requireNonNull(createdAt);
      Objects.requireNonNull(updatedAt);
      metadata = Map.copyOf(metadata);
    }

    /** Returns the id and name, never the value. */
    @Override
    public String toString() {
      return id + " " + name;
    }
  }
}
