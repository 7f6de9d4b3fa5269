// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.operation;

import java.util.List;

/**
 * What an operation that went well answers.
 *
 * @param status the HTTP status
 * @param body what crosses the wire
 * @param ids of what was made
 */
public record OperationResult<T>(int status, T body, List<String> ids) {
  /** Something was made. */
  public static <T> OperationResult<T> created(T body, String id) {
    return new OperationResult<>(201, body, List.of(id));
  }
}
