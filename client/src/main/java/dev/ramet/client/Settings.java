// SPDX-License-Identifier: Apache-2.0
package dev.ramet.client;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How to reach a host. Immutable and thread-safe.
 *
 * @param uri its address, {@code http://…} or {@code https://…}, without query
 * @param apiKey what to show it, or null for nothing
 * @param connectTimeout how long a connection may take to be made
 * @param authority a PEM file of the only authorities to trust, for a host with a certificate of
 *     its own; null for those that Java trusts
 * @param timeout how long a call may take from its beginning to the end of its answer; streams and
 *     files are bound by it to the beginning of their answer
 */
public record Settings(
    URI uri,
    @Nullable String apiKey,
    @Nullable Path authority,
    Duration connectTimeout,
    Duration timeout) {
  /** A host that wants no key: 5 s to connect, 10 minutes for a call. */
  public static Settings of(URI uri) {
    return new Settings(uri, null, null, Duration.ofSeconds(5), Duration.ofMinutes(10));
  }

  /** The same with an API key. */
  public Settings withApiKey(String key) {
    return new Settings(uri, key, authority, connectTimeout, timeout);
  }

  /** The same with another time for calls. */
  public Settings withTimeout(Duration limit) {
    return new Settings(uri, apiKey, authority, connectTimeout, limit);
  }

  /**
   * The same, trusting the authorities of a file and no others: {@code tls/ca.pem} of the data root
   * of a host that made its certificate itself.
   */
  public Settings withAuthority(Path pem) {
    return new Settings(uri, apiKey, pem, connectTimeout, timeout);
  }

  /** Tells of a key only that there is one. */
  @Override
  public String toString() {
    return uri + (apiKey == null ? " without a key" : " with a key");
  }
}
