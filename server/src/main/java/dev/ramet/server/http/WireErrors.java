// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.http;

import dev.ramet.api.operation.ApiError;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import io.micronaut.http.HttpMethod;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.server.exceptions.response.ErrorContext;
import io.micronaut.http.server.exceptions.response.ErrorResponseProcessor;
import jakarta.inject.Singleton;
import java.util.stream.Collectors;

/**
 * Gives every error the same wire form, including errors that the framework itself detects: unknown
 * routes, wrong methods and media types, bodies that are too large. Thread-safe.
 */
@Singleton
final class WireErrors implements ErrorResponseProcessor<ApiError> {
  /** Returns the body for an exception of the engine. */
  static ApiError toApiError(RametException e) {
    String message = e.getMessage() == null ? e.code().name() : e.getMessage();
    return ApiError.of(e.code(), message, e.remedy());
  }

  @Override
  public MutableHttpResponse<ApiError> processResponse(
      ErrorContext context, MutableHttpResponse<?> base) {
    int status = base.code();
    String message =
        context.getErrors().stream()
            .map(e -> e.getPath().map(path -> path + ": ").orElse("") + e.getMessage())
            .collect(Collectors.joining("; "));
    if (message.isEmpty()) {
      message = base.reason();
    }
    MutableHttpResponse<ApiError> response =
        base.contentType(MediaType.APPLICATION_JSON_TYPE)
            .body(new ApiError(status, message, code(status).name(), null));
    return context.getRequest().getMethod() == HttpMethod.HEAD ? response.body(null) : response;
  }

  /** Returns the code closest to a status that the framework chose. */
  static ErrorCode code(int status) {
    return switch (status) {
      case 401 -> ErrorCode.UNAUTHENTICATED;
      case 403 -> ErrorCode.FORBIDDEN;
      case 404 -> ErrorCode.NOT_FOUND;
      case 409 -> ErrorCode.CONFLICT;
      case 421 -> ErrorCode.MISDIRECTED;
      case 413 -> ErrorCode.TOO_LARGE;
      case 429 -> ErrorCode.RATE_LIMITED;
      case 503 -> ErrorCode.UNAVAILABLE;
      default -> status < 500 ? ErrorCode.INVALID_ARGUMENT : ErrorCode.INTERNAL;
    };
  }
}
