// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.http;

import org.jspecify.annotations.Nullable;

/**
 * A successful answer. Immutable as far as its array is.
 *
 * @param status the HTTP status
 * @param body what came, to the byte; empty for none
 * @param nextToken where the next page of a list begins, or null after the last
 */
@SuppressWarnings("ArrayRecordComponent") // bytes are passed on, never compared
public record Answer(int status, byte[] body, @Nullable String nextToken) {
  /** The body as a wire type. */
  public <T> T as(Class<T> type) {
    return Json.read(body, type);
  }
}
