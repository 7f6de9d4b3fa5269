// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.secret;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /secrets/{id}}. Immutable and thread-safe as far as its map is.
 *
 * @param value the new one, of the same form as the first; required
 * @param metadata in place of what the secret had, or null to keep that
 */
public record SecretUpdate(
    @Nullable String value, @Nullable Map<String, @Nullable String> metadata) {
  /** Without the value. */
  @Override
  public String toString() {
    return "SecretUpdate[]";
  }
}
