// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.config;

import org.jspecify.annotations.Nullable;

/**
 * What values a setting may have. Immutable and thread-safe.
 *
 * @param description for a person, after "must be": {@code a whole number from 1 to 64}
 * @param list whether it is several values with commas between; then it may be empty
 * @param rule what a value that is not empty must satisfy
 */
public record Type(String description, boolean list, Rule rule) {
  /** Looks at one value. */
  @FunctionalInterface
  interface Rule {
    boolean allows(String value);
  }

  /** What is wrong with a value, to stand after the setting's name; null when nothing is. */
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
