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

/** Turns exceptions into answers: the one place where an error's HTTP status is set. */
@Factory
public final class ErrorHandlers {
  private static final Logger LOG = LoggerFactory.getLogger(ErrorHandlers.class);

  /** Errors of the contract say themselves what they are. */
  @Singleton
  ExceptionHandler<RametException, HttpResponse<ApiError>> known() {
    return new Known();
  }

  /** Who comes again too early is told when to. */
  @Singleton
  ExceptionHandler<InProgressException, HttpResponse<ApiError>> inProgress() {
    return new InProgress();
  }

  /** Everything else is a defect: the log has it, the answer says where to look. */
  @Singleton
  ExceptionHandler<Throwable, HttpResponse<ApiError>> unknown() {
    return new Unknown();
  }

  private static MutableHttpResponse<ApiError> answer(ApiError error) {
    // The status may be one without a name, such as 499 and 507.
    return HttpResponse.<ApiError>status(error.code(), error.error())
        .contentType(MediaType.APPLICATION_JSON_TYPE)
        .body(error);
  }

  /** The body for any exception; logs what an operator must see. */
  public static ApiError body(Throwable failure, String what) {
    if (failure instanceof InProgressException e) {
      return ApiError.of(
          ErrorCode.CONFLICT, String.valueOf(e.getMessage()), "ask again in a moment");
    }
    if (failure instanceof RametException e) {
      if (e.code().kind() == ErrorKind.INTERNAL || e.code().kind() == ErrorKind.HOST) {
        LOG.warn("{}: {}", what, e.getMessage(), e);
      }
      return WireErrors.of(e);
    }
    String operation = OperationIds.next();
    LOG.error("operation {}: {}", operation, what, failure);
    return ApiError.of(
        ErrorCode.INTERNAL,
        "internal error; the host's log tells more under operation " + operation,
        null);
  }

  @SuppressWarnings("rawtypes") // the framework hands over requests of any body
  private static final class Known
      implements ExceptionHandler<RametException, HttpResponse<ApiError>> {
    @Override
    public HttpResponse<ApiError> handle(HttpRequest request, RametException e) {
      return answer(body(e, request.getMethodName() + " " + request.getPath()));
    }
  }

  @SuppressWarnings("rawtypes") // the framework hands over requests of any body
  private static final class InProgress
      implements ExceptionHandler<InProgressException, HttpResponse<ApiError>> {
    @Override
    public HttpResponse<ApiError> handle(HttpRequest request, InProgressException e) {
      return answer(body(e, request.getMethodName() + " " + request.getPath()))
          .header("Retry-After", Integer.toString(InProgressException.RETRY_AFTER_SECONDS));
    }
  }

  @SuppressWarnings("rawtypes") // the framework hands over requests of any body
  private static final class Unknown
      implements ExceptionHandler<Throwable, HttpResponse<ApiError>> {
    @Override
    public HttpResponse<ApiError> handle(HttpRequest request, Throwable e) {
      return answer(body(e, request.getMethodName() + " " + request.getPath()));
    }
  }
}
