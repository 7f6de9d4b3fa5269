// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.work;

import java.util.List;

/**
 * What an operation that went well answers.
 *
 * @param status the HTTP status
 * @param body what crosses the wire
 * @param ids of what was made
 */
public record Outcome<T>(int status, T body, List<String> ids) {
  /** Something was made. */
  public static <T> Outcome<T> created(T body, String id) {
    return new Outcome<>(201, body, List.of(id));
  }
}
