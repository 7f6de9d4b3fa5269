// SPDX-License-Identifier: Apache-2.0
package dev.ramet.client;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The connection settings of a client. Immutable and thread-safe.
 *
 * @param uri the host's address, {@code http://…} or {@code https://…}, without query
 * @param apiKey the API key, or null for none
 * @param connectTimeout time limit for establishing a connection
 * @param authority a PEM file of the only authorities to trust, for a host with a self-issued
 *     certificate; null for those that Java trusts
 * @param timeout time limit for a whole call; for streams and files, only until the response begins
 */
public record Settings(
    URI uri,
    @Nullable String apiKey,
    @Nullable Path authority,
    Duration connectTimeout,
    Duration timeout) {
  /** Returns settings for a host that requires no key: 5 s to connect, 10 minutes for a call. */
  public static Settings of(URI uri) {
    return new Settings(uri, null, null, Duration.ofSeconds(5), Duration.ofMinutes(10));
  }

  /** Returns these settings with an API key. */
  public Settings withApiKey(String key) {
    return new Settings(uri, key, authority, connectTimeout, timeout);
  }

  /** Returns these settings with another time limit for calls. */
  public Settings withTimeout(Duration limit) {
    return new Settings(uri, apiKey, authority, connectTimeout, limit);
  }

  /**
   * Returns these settings with the authorities in a file as the only trusted ones: {@code
   * tls/ca.pem} of the data root of a host that issued its own certificate.
   */
  public Settings withAuthority(Path pem) {
    return new Settings(uri, apiKey, pem, connectTimeout, timeout);
  }

  /** Omits the key; says only whether there is one. */
  @Override
  public String toString() {
    return uri + (apiKey == null ? " without a key" : " with a key");
  }
}
