// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.access;

import dev.ramet.api.operation.ApiError;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.keys.ApiKey;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.core.order.Ordered;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ResponseFilter;
import io.micronaut.http.annotation.ServerFilter;
import java.net.InetSocketAddress;

/**
 * Admits requests to the API, or refuses them before their body is read. Requests for guests do not
 * pass this filter, because the guest decides about them. Thread-safe.
 */
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
final class AccessFilter implements Ordered {
  private static final String BEARER = "Bearer ";
  private static final String BEGAN = "ramet.began";

  private final AccessControl access;

  AccessFilter(AccessControl access) {
    this.access = access;
  }

  @Override
  public int getOrder() {
    return HIGHEST_PRECEDENCE;
  }

  /** Returns the refusal, or null to continue. */
  @RequestFilter
  @Nullable
  HttpResponse<ApiError> before(HttpRequest<?> request) {
    request.setAttribute(BEGAN, System.nanoTime());
    HttpResponse<ApiError> refusal = refusal(request);
    if (refusal != null) {
      record(request, refusal); // such a response does not pass the filter below
    }
    return refusal;
  }

  private @Nullable HttpResponse<ApiError> refusal(HttpRequest<?> request) {
    try {
      ApiKey key =
          access.admit(
              request.getMethodName(),
              request.getPath(),
              secret(request),
              LocalPeer.ofRequest(request).orElse(null));
      if (key != null) {
        Caller.set(request, key);
      }
      int wait = access.countRequest(key == null ? remote(request) : key.id());
      return wait == 0 ? null : tooMany(wait);
    } catch (RametException e) {
      return errorResponse(e);
    }
  }

  /** Logs the request. */
  @ResponseFilter
  void after(HttpRequest<?> request, HttpResponse<?> response) {
    record(request, response);
  }

  private void record(HttpRequest<?> request, HttpResponse<?> response) {
    long now = System.nanoTime();
    access.record(
        new Caller.Sender(
            Caller.keyOf(request), LocalPeer.ofRequest(request).orElse(null), remote(request)),
        request.getMethodName(),
        request.getPath(),
        response.code(),
        now - request.getAttribute(BEGAN, Long.class).orElse(now));
  }

  private static @Nullable String secret(HttpRequest<?> request) {
    String key = request.getHeaders().get("X-API-Key");
    if (key != null) {
      return key.trim();
    }
    String authorization = request.getHeaders().get("Authorization");
    return authorization != null && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
        ? authorization.substring(BEARER.length()).trim()
        : null;
  }

  private static String remote(HttpRequest<?> request) {
    if (LocalPeer.ofRequest(request).isPresent()) {
      return LocalPeer.REMOTE;
    }
    InetSocketAddress address = request.getRemoteAddress();
    return address.getAddress() == null
        ? address.getHostString()
        : address.getAddress().getHostAddress();
  }

  private static HttpResponse<ApiError> tooMany(int seconds) {
    MutableHttpResponse<ApiError> response =
        errorResponse(
            new RametException(
                ErrorCode.RATE_LIMITED,
                "too many requests",
                "try again in " + seconds + " s; ramet.rate-limit on the host sets the limit",
                null));
    return response.header("Retry-After", Integer.toString(seconds));
  }

  private static MutableHttpResponse<ApiError> errorResponse(RametException e) {
    int status = e.code().httpStatus();
    MutableHttpResponse<ApiError> response =
        HttpResponse.<ApiError>status(status, e.code().name())
            .body(ApiError.of(e.code(), "" + e.getMessage(), e.remedy()));
    return status == ErrorCode.UNAUTHENTICATED.httpStatus()
        ? response.header("WWW-Authenticate", "Bearer")
        : response;
  }
}
