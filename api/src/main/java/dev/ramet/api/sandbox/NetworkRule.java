// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a sandbox's requests to a host. Immutable and thread-safe as far as its map is.
 *
 * @param transform what is changed of each request, or null for nothing
 */
public record NetworkRule(@Nullable Transform transform) {
  /**
   * What is changed of a request.
   *
   * @param headers headers in place of those of the same names, or null for none; in a value,
   *     <code>${e2b.secrets.NAME}</code> stands for what that secret is when the request is sent
   */
  public record Transform(@Nullable Map<String, @Nullable String> headers) {}
}
