// SPDX-License-Identifier: Apache-2.0
package dev.ramet.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.api.host.HostTrust;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
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

  /**
   * Returns the error for an unsuccessful response of the host, its proxy, the agent, or another
   * server.
   */
  static RametException of(int status, byte[] body) {
    JsonNode error = null;
    try {
      error = Json.MAPPER.readTree(body);
    } catch (IOException e) {
      // Not JSON, so not from Ramet: only the status can be used.
    }
    return error != null && error.isObject()
        ? of(status, error)
        : new RametException(ofStatus(status), "the host answered HTTP status " + status);
  }

  static RametException of(int status, JsonNode error) {
    ErrorCode code = named(error.path("error").asText(""));
    if (code == null && error.path("code").isTextual()) {
      code = CONNECT.getOrDefault(error.path("code").textValue(), ErrorCode.INTERNAL);
    }
    JsonNode remedy = error.path("remedy");
    return new RametException(
        code == null ? ofStatus(status) : code,
        error.path("message").asText("the host answered HTTP status " + status),
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
      case 501 -> ErrorCode.UNSUPPORTED;
      case 502 -> ErrorCode.GUEST_UNREACHABLE;
      case 503 -> ErrorCode.UNAVAILABLE;
      case 504 -> ErrorCode.DEADLINE_EXCEEDED;
      case 507 -> ErrorCode.NO_SPACE;
      default -> ErrorCode.INTERNAL;
    };
  }

  /** Returns the error for an I/O error on the connection to a host. */
  static RametException broken(URI host, IOException e) {
    RametException tls = HostTrust.explained(host, e);
    if (tls != null) {
      return tls;
    }
    if (e instanceof ConnectException || e instanceof HttpConnectTimeoutException) {
      return new RametException(
          ErrorCode.UNAVAILABLE,
          "no host answers at " + host,
          "check the address, and whether the host runs: ramet doctor",
          e);
    }
    if (e instanceof HttpTimeoutException) {
      return late(host);
    }
    return new RametException(
        ErrorCode.UNAVAILABLE,
        "the connection to " + host + " broke: " + e.getMessage(),
        "see whether the host still runs: ramet doctor",
        e);
  }

  static RametException late(URI host) {
    return new RametException(
        ErrorCode.DEADLINE_EXCEEDED,
        "the host at " + host + " did not answer in time",
        "give calls more time by Settings.withTimeout, or see what the host does: ramet operation"
            + " ls",
        null);
  }

  /** Returns the error for an interrupted thread and restores its interrupt status. */
  static RametException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new RametException(ErrorCode.CANCELLED, "the calling thread was interrupted", e);
  }
}
