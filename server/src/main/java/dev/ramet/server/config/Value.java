// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.config;

import org.jspecify.annotations.Nullable;

/**
 * A setting as it is. Immutable and thread-safe.
 *
 * @param key its name
 * @param text its value, or null when there is none; of a secret, never the value itself
 * @param unset what happens without a value, or null
 * @param origin where it comes from
 * @param secret whether the value is kept back
 */
public record Value(
    String key, @Nullable String text, @Nullable String unset, ValueSource origin, boolean secret) {
  /** What stands in place of a secret. */
  public static final String HIDDEN = "(set, not shown)";
}
