// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A rule for a sandbox's requests to a host. Immutable and thread-safe if its map is.
 *
 * @param transform how each request is changed, or null for no change
 */
public record NetworkRule(@Nullable Transform transform) {
  /**
   * Changes to a request.
   *
   * @param headers headers to set, replacing those of the same names, or null for none; in a value,
   *     <code>${e2b.secrets.NAME}</code> is replaced by the secret's value at the time the request
   *     is sent
   */
  public record Transform(@Nullable Map<String, @Nullable String> headers) {}
}
