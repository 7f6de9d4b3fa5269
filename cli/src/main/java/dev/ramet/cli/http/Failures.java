// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.api.host.HostTrust;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.HttpRetryException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Converts error responses and I/O errors to {@link RametException}s. */
final class Failures {
  /** Error codes of the Connect protocol, which the guest's agent speaks. */
  private static final Map<String, ErrorCode> CONNECT =
      Map.of(
          "invalid_argument", ErrorCode.INVALID_ARGUMENT,
          "not_found", ErrorCode.NOT_FOUND,
          "already_exists", ErrorCode.ALREADY_EXISTS,
          "failed_precondition", ErrorCode.CONFLICT,
          "unauthenticated", ErrorCode.UNAUTHENTICATED,
          "unimplemented", ErrorCode.UNSUPPORTED,
          "resource_exhausted", ErrorCode.NO_SPACE,
          "deadline_exceeded", ErrorCode.DEADLINE_EXCEEDED,
          "unavailable", ErrorCode.GUEST_UNREACHABLE,
          "canceled", ErrorCode.CANCELLED);

  private Failures() {}

  /** Returns the error in an unsuccessful response of the host, its proxy or the agent. */
  static RametException of(int status, byte[] body) {
    JsonNode error = null;
    try {
      error = Json.mapper().readTree(body);
    } catch (IOException e) {
      // Not JSON, so not from Ramet: only the status can be used.
    }
    if (error == null || !error.isObject()) {
      return new RametException(ofStatus(status), "the host answered HTTP status " + status);
    }
    return of(status, error);
  }

  /** Returns the error for a parsed error body. */
  static RametException of(int status, JsonNode error) {
    String message = error.path("message").asText("the host answered HTTP status " + status);
    ErrorCode code = named(error.path("error").asText(""));
    if (code == null && error.path("code").isTextual()) {
      code = CONNECT.getOrDefault(error.path("code").textValue(), ErrorCode.INTERNAL);
    }
    JsonNode remedy = error.path("remedy");
    return new RametException(
        code == null ? ofStatus(status) : code,
        message,
        remedy.isTextual() ? remedy.textValue() : null,
        null);
  }

  private static @Nullable ErrorCode named(String name) {
    for (ErrorCode code : ErrorCode.values()) {
      if (code.name().equals(name)) {
        return code;
      }
    }
    return null;
  }

  private static ErrorCode ofStatus(int status) {
    return switch (status) {
      case 400, 405, 415, 422 -> ErrorCode.INVALID_ARGUMENT;
      case 401 -> ErrorCode.UNAUTHENTICATED;
      case 403 -> ErrorCode.FORBIDDEN;
      case 404 -> ErrorCode.NOT_FOUND;
      case 409 -> ErrorCode.CONFLICT;
      case 413 -> ErrorCode.TOO_LARGE;
      case 429 -> ErrorCode.RATE_LIMITED;
      case 503 -> ErrorCode.UNAVAILABLE;
      case 501 -> ErrorCode.UNSUPPORTED;
      case 502 -> ErrorCode.GUEST_UNREACHABLE;
      case 504 -> ErrorCode.DEADLINE_EXCEEDED;
      case 507 -> ErrorCode.NO_SPACE;
      default -> ErrorCode.INTERNAL;
    };
  }

  /** Returns the error for an I/O error on a connection to a host. */
  static RametException broken(String base, IOException e) {
    if (e instanceof HttpRetryException retry) {
      return new RametException(
          ofStatus(retry.responseCode()),
          "the host wants an API key",
          "put one into the environment as RAMET_API_KEY; on the host itself, be root, the host's"
              + " user or a member of the group ramet",
          e);
    }
    RametException tls = HostTrust.explained(URI.create(base), e);
    if (tls != null) {
      return tls;
    }
    if (e instanceof ConnectException || e instanceof NoRouteToHostException) {
      return new RametException(
          ErrorCode.UNAVAILABLE, "no host answers at " + base, "start it with: ramet serve", e);
    }
    if (e instanceof UnknownHostException) {
      return new RametException(
          ErrorCode.UNAVAILABLE,
          "no such host: " + base,
          "check the address given by --server or RAMET_SERVER",
          e);
    }
    if (e instanceof SocketTimeoutException) {
      return new RametException(
          ErrorCode.DEADLINE_EXCEEDED, "the host at " + base + " did not answer in time", e);
    }
    return new RametException(
        ErrorCode.UNAVAILABLE,
        "the connection to " + base + " broke: " + e.getMessage(),
        base.startsWith("https:")
            ? "see whether the host still runs: ramet doctor"
            : "see whether the host still runs: ramet doctor; the address of one that speaks TLS"
                + " begins with https://",
        e);
  }
}
