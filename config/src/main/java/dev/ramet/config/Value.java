// SPDX-License-Identifier: Apache-2.0
package dev.ramet.config;

import org.jspecify.annotations.Nullable;

/**
 * The effective value of a setting. Immutable and thread-safe.
 *
 * @param key the setting's name
 * @param text its value, or null when there is none; for a secret, never the value itself
 * @param unset what happens without a value, or null
 * @param origin where it was set
 * @param secret whether the value is hidden
 */
public record Value(
    String key, @Nullable String text, @Nullable String unset, ValueSource origin, boolean secret) {
  /** Shown instead of a secret's value. */
  public static final String HIDDEN = "(set, not shown)";
}
