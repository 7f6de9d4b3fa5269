// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.operation;

import dev.ramet.errors.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * The response body of every refused or failed request. Immutable and thread-safe.
 *
 * @param code the HTTP status, which clients of the E2B protocol read here
 * @param message what happened, to what, in one sentence for a person
 * @param error the name of an {@link ErrorCode}; programs should use this
 * @param remedy what to do about it, or null when there is nothing to say
 * @param field the field or parameter of the request that is wrong, such as {@code memoryMB} or
 *     {@code network.allowOut[0]}, or null; the message begins with it
 */
public record ApiError(
    int code, String message, String error, @Nullable String remedy, @Nullable String field) {
  /** Returns the body for an error. */
  public static ApiError of(ErrorCode error, String message, @Nullable String remedy) {
    return of(error, message, remedy, null);
  }

  /**
   * Returns the body for an error about a field of the request.
   *
   * @param field the field, or null
   */
  public static ApiError of(
      ErrorCode error, String message, @Nullable String remedy, @Nullable String field) {
    return new ApiError(error.httpStatus(), message, error.name(), remedy, field);
  }
}
