// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request to an agent. Immutable.
 *
 * @param method the HTTP method
 * @param path the path with its query
 * @param headers header fields
 * @param content the body, or null for none
 * @param silence how long the response may pause while it is read, or null for any time; after that
 *     the guest counts as gone
 */
public record Call(
    String method,
    String path,
    Map<String, String> headers,
    @Nullable Content content,
    @Nullable Duration silence) {
  /** Copies the header fields. */
  public Call {
    headers = Map.copyOf(headers);
  }

  /** Returns this call with more header fields. */
  public Call with(Map<String, String> more) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.putAll(more);
    return new Call(method, path, all, content, silence);
  }

  /** Returns whether it can be sent again. */
  boolean repeatable() {
    return content == null || content.repeatable();
  }

  /** Omits header fields, which hold credentials. */
  @Override
  public String toString() {
    return method + " " + path;
  }
}
