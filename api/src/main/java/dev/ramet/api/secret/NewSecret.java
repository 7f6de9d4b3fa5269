// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.secret;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /secrets}. Immutable and thread-safe if its map is.
 *
 * @param name 1 to 64 of {@code [A-Za-z0-9._-]}, unique; capitals become small letters; must not
 *     begin with {@code sec_}, the prefix of ids; required
 * @param value 1 to 8192 visible ASCII characters, spaces and tabs; never returned; required
 * @param metadata key-value pairs of the creator, at most 32 and 8192 bytes, or null for none
 */
public record NewSecret(
    @Nullable String name,
    @Nullable String value,
    @Nullable Map<String, @Nullable String> metadata) {
  /** Omits the value. */
  @Override
  public String toString() {
    return "NewSecret[" + name + "]";
  }
}
