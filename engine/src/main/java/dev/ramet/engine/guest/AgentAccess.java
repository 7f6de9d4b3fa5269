// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.guest;

import dev.ramet.engine.state.HostSecret;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What calls of an agent have to bring.
 *
 * @param token what it asks everybody for, or null for nothing
 * @param secret what it knows its host by, or null when it cannot tell its host from others
 */
public record AgentAccess(@Nullable String token, @Nullable HostSecret secret) {
  /** Carries the host's secret; in an agent's answer, says that it demands it. */
  static final String SECRET_HEADER = "X-Ramet-Host-Secret";

  private static final String TOKEN_HEADER = "X-Access-Token";

  /** As header fields of a request. */
  public Map<String, String> headers() {
    Map<String, String> headers = new LinkedHashMap<>();
    String shownToken = token;
    HostSecret shownSecret = secret;
    if (shownToken != null) {
      headers.put(TOKEN_HEADER, shownToken);
    }
    if (shownSecret != null) {
      headers.put(SECRET_HEADER, shownSecret.value());
    }
    return headers;
  }

  /** Neither of them. */
  @Override
  public String toString() {
    return "AgentAccess[...]";
  }
}
