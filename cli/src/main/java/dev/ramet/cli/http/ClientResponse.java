// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.http;

import org.jspecify.annotations.Nullable;

/**
 * A successful response. Immutable if its array is not modified.
 *
 * @param status the HTTP status
 * @param body the unchanged body; empty for none
 * @param nextToken token of the next page of a list, or null after the last
 */
@SuppressWarnings("ArrayRecordComponent") // bytes are passed on, never compared
public record ClientResponse(int status, byte[] body, @Nullable String nextToken) {
  /** Parses the body. */
  public <T> T parse(Class<T> type) {
    return Json.read(body, type);
  }
}
