// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.http;

import dev.ramet.api.operation.ApiError;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.ErrorKind;
import dev.ramet.errors.RametException;
import io.micronaut.context.annotation.Factory;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.server.exceptions.ExceptionHandler;
import jakarta.inject.Singleton;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Converts exceptions to responses: the only place that sets an error's HTTP status. */
@Factory
public final class ErrorHandlers {
  private static final Logger LOG = LoggerFactory.getLogger(ErrorHandlers.class);

  /** Handles errors of the contract, which carry their own code. */
  @Singleton
  ExceptionHandler<RametException, HttpResponse<ApiError>> known() {
    return new Known();
  }

  /** Handles a request whose first attempt is still running: the response says when to retry. */
  @Singleton
  ExceptionHandler<InProgressException, HttpResponse<ApiError>> inProgress() {
    return new InProgress();
  }

  /**
   * Handles all other exceptions as defects: the log has the stack trace, the response refers to
   * it.
   */
  @Singleton
  ExceptionHandler<Throwable, HttpResponse<ApiError>> unknown() {
    return new Unknown();
  }

  private static MutableHttpResponse<ApiError> answer(ApiError error) {
    // The status may have no name in the framework, such as 499 and 507.
    return HttpResponse.<ApiError>status(error.code(), error.error())
        .contentType(MediaType.APPLICATION_JSON_TYPE)
        .body(error);
  }

  /** Returns the body for any exception; logs those that an operator must see. */
  public static ApiError body(Throwable failure, String what) {
    if (failure instanceof InProgressException e) {
      return ApiError.of(
          ErrorCode.CONFLICT, String.valueOf(e.getMessage()), "try again in a moment");
    }
    if (failure instanceof RametException e) {
      if (e.code().kind() == ErrorKind.INTERNAL || e.code().kind() == ErrorKind.HOST) {
        LOG.warn("{}: {}", what, e.getMessage(), e);
      }
      return WireErrors.toApiError(e);
    }
    String operation = OperationIds.newId();
    LOG.error("operation {}: {}", operation, what, failure);
    return ApiError.of(
        ErrorCode.INTERNAL,
        "internal error; the host's log says more under operation " + operation,
        null);
  }

  @SuppressWarnings("rawtypes") // the framework passes requests with bodies of any type
  private static final class Known
      implements ExceptionHandler<RametException, HttpResponse<ApiError>> {
    @Override
    public HttpResponse<ApiError> handle(HttpRequest request, RametException e) {
      return answer(body(e, request.getMethodName() + " " + request.getPath()));
    }
  }

  @SuppressWarnings("rawtypes") // the framework passes requests with bodies of any type
  private static final class InProgress
      implements ExceptionHandler<InProgressException, HttpResponse<ApiError>> {
    @Override
    public HttpResponse<ApiError> handle(HttpRequest request, InProgressException e) {
      return answer(body(e, request.getMethodName() + " " + request.getPath()))
          .header("Retry-After", Integer.toString(InProgressException.RETRY_AFTER_SECONDS));
    }
  }

  @SuppressWarnings("rawtypes") // the framework passes requests with bodies of any type
  private static final class Unknown
      implements ExceptionHandler<Throwable, HttpResponse<ApiError>> {
    @Override
    public HttpResponse<ApiError> handle(HttpRequest request, Throwable e) {
      return answer(body(e, request.getMethodName() + " " + request.getPath()));
    }
  }
}
