// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.host;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The credentials that requests to an agent must carry.
 *
 * @param token the token it requires of every client, or null for none
 * @param secret the secret by which it recognizes its host, or null when it cannot tell its host
 *     from others
 */
public record AgentAccess(@Nullable String token, @Nullable String secret) {
  /**
   * The header that carries the host's secret; in an agent's response, its presence means that the
   * agent requires it.
   */
  static final String SECRET_HEADER = "X-Ramet-Host-Secret";

  private static final String TOKEN_HEADER = "X-Access-Token";

  /** Returns the credentials as header fields of a request. */
  public Map<String, String> headers() {
    Map<String, String> headers = new LinkedHashMap<>();
    String shownToken = token;
    String shownSecret = secret;
    if (shownToken != null) {
      headers.put(TOKEN_HEADER, shownToken);
    }
    if (shownSecret != null) {
      headers.put(SECRET_HEADER, shownSecret);
    }
    return headers;
  }

  /** Hides the token and the secret. */
  @Override
  public String toString() {
    return "AgentAccess[...]";
  }
}
