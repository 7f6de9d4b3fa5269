// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

import dev.ramet.api.operation.ApiError;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.dataplane.address.SandboxTarget;
import dev.ramet.server.http.JsonBody;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** The error responses of the proxy to guests. */
final class ProxyErrors {
  private ProxyErrors() {}

  /** The body that clients of the E2B protocol expect when a guest cannot be reached. */
  private record Unreachable(
      String sandboxId,
      String message,
      @Nullable Integer port,
      int code,
      @Nullable String error,
      @Nullable String remedy) {}

  static FullHttpResponse notFound(SandboxTarget target) {
    return unreachable(target, "The sandbox was not found", null);
  }

  static FullHttpResponse portClosed(SandboxTarget target) {
    return unreachable(target, "The sandbox is running but port is not open", target.port());
  }

  /** Returns the response for a failed connection to the guest. */
  static FullHttpResponse connectFailed(SandboxTarget target, Throwable cause) {
    return cause instanceof SSLException
        ? unreachable(target, "The sandbox is running but port does not speak TLS", target.port())
        : portClosed(target);
  }

  static FullHttpResponse connectionBroken(SandboxTarget target) {
    return unreachable(target, "The connection to the sandbox broke", target.port());
  }

  /** Returns the response for a failed address lookup. */
  static FullHttpResponse unresolved(SandboxTarget target, RametException failure) {
    return switch (failure.code()) {
      case NOT_FOUND -> notFound(target);
      case GUEST_UNREACHABLE -> portClosed(target);
      case UNAVAILABLE, FORBIDDEN -> error(failure);
      // 502, from which clients of the E2B protocol see that the sandbox does not run.
      case CONFLICT ->
          json(
              502,
              new Unreachable(
                  target.sandboxId(),
                  "" + failure.getMessage(),
                  null,
                  502,
                  failure.code().name(),
                  failure.remedy()));
      default ->
          unreachable(target, "The sandbox cannot be reached: " + failure.getMessage(), null);
    };
  }

  private static FullHttpResponse unreachable(
      SandboxTarget target, String message, @Nullable Integer port) {
    return json(502, new Unreachable(target.sandboxId(), message, port, 502, null, null));
  }

  static FullHttpResponse invalidSignature() {
    return error(new RametException(ErrorCode.UNAUTHENTICATED, "invalid signature"));
  }

  static FullHttpResponse hostOnly() {
    return error(new RametException(ErrorCode.NOT_FOUND, "clients cannot use this endpoint"));
  }

  static FullHttpResponse error(RametException failure) {
    String message = failure.getMessage() == null ? failure.code().name() : failure.getMessage();
    return json(
        failure.code().httpStatus(),
        ApiError.of(failure.code(), message, failure.remedy(), failure.field()));
  }

  /** Returns the response to a malformed request. */
  static FullHttpResponse malformed(Throwable cause) {
    int status =
        cause instanceof TooLongHttpLineException
            ? 414
            : cause instanceof TooLongHttpHeaderException ? 431 : 400;
    String message =
        status == 400 ? "the request is not well-formed HTTP" : "the request's head is too large";
    return json(
        status, new ApiError(status, message, ErrorCode.INVALID_ARGUMENT.name(), null, null));
  }

  private static FullHttpResponse json(int status, Object body) {
    byte[] bytes = JsonBody.bytes(body);
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.valueOf(status),
            Unpooled.wrappedBuffer(bytes));
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.APPLICATION_JSON)
        .set(HttpHeaderNames.CONTENT_LENGTH, bytes.length);
    return response;
  }
}
