// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.config;

import org.jspecify.annotations.Nullable;

/**
 * The type of a setting's value. Immutable and thread-safe.
 *
 * @param description for people, to follow "must be": {@code a whole number from 1 to 64}
 * @param list whether it is a comma-separated list, which may be empty
 * @param rule condition for each value that is not empty
 */
public record Type(String description, boolean list, Rule rule) {
  /** Checks one value. */
  @FunctionalInterface
  interface Rule {
    boolean allows(String value);
  }

  /**
   * Returns the error in a value, as the rest of a sentence that begins with the setting's name;
   * null when it is valid.
   */
  @Nullable String problem(String value, boolean secret) {
    if (value.isEmpty()) {
      return list ? null : "is empty; leave it out to have the default";
    }
    String[] parts = list ? value.split(",", -1) : new String[] {value};
    for (String part : parts) {
      if (!rule.allows(list ? part.strip() : part)) {
        return "must be " + description + (secret ? "" : ", not " + part);
      }
    }
    return null;
  }
}
