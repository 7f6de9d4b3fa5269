// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.secret;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /secrets/{id}}. Immutable and thread-safe if its map is.
 *
 * @param value the new value, with the limits of the first; required
 * @param metadata replaces the secret's metadata; null keeps it
 */
public record SecretUpdate(
    @Nullable String value, @Nullable Map<String, @Nullable String> metadata) {
  /** Omits the value. */
  @Override
  public String toString() {
    return "SecretUpdate[]";
  }
}
