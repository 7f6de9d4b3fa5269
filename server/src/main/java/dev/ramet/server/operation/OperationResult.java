// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.operation;

import java.util.List;

/**
 * The response of a successful operation.
 *
 * @param status the HTTP status
 * @param body the body
 * @param ids ids of the created objects
 */
public record OperationResult<T>(int status, T body, List<String> ids) {
  /** Returns the response for a created object. */
  public static <T> OperationResult<T> created(T body, String id) {
    return new OperationResult<>(201, body, List.of(id));
  }
}
