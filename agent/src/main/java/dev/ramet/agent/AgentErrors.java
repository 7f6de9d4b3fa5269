// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.agent.wire.Json;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Converts error responses of the agent, the host and its proxy to {@link RametException}s. */
public final class AgentErrors {
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

  private AgentErrors() {}

  /**
   * Returns the error for an unsuccessful response.
   *
   * @param body its body; if it is not JSON, it is not from Ramet, and only the status is used
   */
  public static RametException fromResponse(int status, byte[] body) {
    JsonNode error;
    try {
      error = Json.tree(body);
    } catch (IOException e) {
      return new RametException(codeOfStatus(status), statusMessage(status));
    }
    ErrorCode code = findCode(error.path("error").asText(""));
    if (code == null && error.path("code").isTextual()) {
      code = codeOfConnect(error.path("code").textValue());
    }
    JsonNode remedy = error.path("remedy");
    return new RametException(
            code == null ? codeOfStatus(status) : code,
            error.path("message").asText(statusMessage(status)),
            remedy.isTextual() ? remedy.textValue() : null,
            null)
        .about(error.path("field").textValue());
  }

  private static String statusMessage(int status) {
    return "the host answered HTTP status " + status;
  }

  private static @Nullable ErrorCode findCode(String name) {
    for (ErrorCode code : ErrorCode.values()) {
      if (code.name().equals(name)) {
        return code;
      }
    }
    return null;
  }

  /** Returns the code for an error code of the Connect protocol. */
  static ErrorCode codeOfConnect(String code) {
    return CONNECT.getOrDefault(code, ErrorCode.INTERNAL);
  }

  /** Returns the code for an HTTP status. */
  public static ErrorCode codeOfStatus(int status) {
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
}
