// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.http;

import dev.ramet.api.operation.ApiError;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import io.micronaut.core.convert.exceptions.ConversionErrorException;
import io.micronaut.core.type.Argument;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpMethod;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.server.exceptions.response.ErrorContext;
import io.micronaut.http.server.exceptions.response.ErrorResponseProcessor;
import io.micronaut.web.router.exceptions.UnsatisfiedRouteException;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Gives every error the same wire form, including errors that the framework itself detects: unknown
 * routes, wrong methods and media types, bodies that are too large. Thread-safe.
 */
@Singleton
final class WireErrors implements ErrorResponseProcessor<ApiError> {
  private static final String ROUTES = "GET /docs shows the routes";

  /** Returns the body for an exception of the engine. */
  static ApiError toApiError(RametException e) {
    String message = e.getMessage() == null ? e.code().name() : e.getMessage();
    return ApiError.of(e.code(), message, e.remedy(), e.field());
  }

  @Override
  public MutableHttpResponse<ApiError> processResponse(
      ErrorContext context, MutableHttpResponse<?> base) {
    ApiError error = describe(context, base);
    MutableHttpResponse<ApiError> response =
        base.contentType(MediaType.APPLICATION_JSON_TYPE).body(error);
    return context.getRequest().getMethod() == HttpMethod.HEAD ? response.body(null) : response;
  }

  /** Says what the framework detected in the words of this API. */
  private static ApiError describe(ErrorContext context, MutableHttpResponse<?> base) {
    HttpRequest<?> request = context.getRequest();
    int status = base.code();
    String route = request.getMethodName() + " " + request.getPath();
    Throwable cause = context.getRootCause().orElse(null);
    if (cause instanceof ConversionErrorException conversion) {
      return inField(status, conversion.getArgument().getName(), conversion(conversion));
    }
    if (cause instanceof UnsatisfiedRouteException missing) {
      return inField(status, missing.getArgument().getName(), "is required");
    }
    return switch (status) {
      case 404 -> error(status, "there is no route " + route, ROUTES);
      case 405 ->
          error(
              status,
              route + ": the route does not take this method",
              "use " + allowed(base.getHeaders().getAll(HttpHeaders.ALLOW)));
      case 415 ->
          error(
              status,
              "the body's Content-Type is not understood: "
                  + request.getHeaders().findFirst(HttpHeaders.CONTENT_TYPE).orElse("none"),
              "send application/json; GET /openapi.json says what each route takes");
      case 406 ->
          error(
              status,
              "the host cannot answer with any of the types in Accept",
              "accept application/json, or leave Accept out");
      default -> error(status, messages(context, base), null);
    };
  }

  private static ApiError error(int status, String message, @Nullable String remedy) {
    return new ApiError(status, message, code(status).name(), remedy, null);
  }

  private static ApiError inField(int status, String field, String problem) {
    return new ApiError(status, field + ": " + problem, code(status).name(), null, field);
  }

  private static String messages(ErrorContext context, MutableHttpResponse<?> base) {
    String message =
        context.getErrors().stream()
            .map(e -> e.getPath().map(path -> path + ": ").orElse("") + e.getMessage())
            .collect(Collectors.joining("; "));
    return message.isEmpty() ? base.reason() : message;
  }

  private static String conversion(ConversionErrorException e) {
    Argument<?> argument = e.getArgument();
    Class<?> type = argument.getType();
    String wanted =
        type == Integer.class || type == int.class
            ? "must be an integer of at most 31 bits"
            : type == Long.class || type == long.class
                ? "must be an integer"
                : type == Boolean.class || type == boolean.class
                    ? "must be true or false"
                    : "is malformed";
    Object given = e.getConversionError().getOriginalValue().orElse(null);
    return wanted + (given == null ? "" : ", not " + given);
  }

  private static String allowed(List<String> headers) {
    return headers.stream()
        .flatMap(header -> Stream.of(header.split(",", -1)))
        .map(String::strip)
        .sorted()
        .collect(Collectors.joining(", "));
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
