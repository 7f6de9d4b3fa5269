// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.util.List;

/**
 * Refuses fields of other protocols that ask for unsupported features, because ignoring them would
 * pretend to support them. A field that asks for nothing ({@code false}, empty) is accepted.
 * Thread-safe.
 */
public final class UnsupportedFields {
  private static final List<String> AT_CREATE = List.of("iam", "mcp");

  private UnsupportedFields() {}

  public static void refuseAtCreate(JsonNode body) {
    if (body.path("iam").isObject() && !body.path("iam").isEmpty()) {
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          "iam: this host issues no sandbox identities",
          "leave out the field; store a token as a secret and refer to it by"
              + " ${e2b.secrets.NAME} in network.rules",
          null);
    }
    AT_CREATE.forEach(field -> refuse(body, field));
  }

  static void refuse(JsonNode body, String field) {
    JsonNode value = body.path(field);
    boolean asksForSomething =
        value.isContainerNode()
            ? !value.isEmpty()
            : !value.isMissingNode() && !value.isNull() && !value.equals(FALSE);
    if (asksForSomething) {
      throw refusal(field);
    }
  }

  private static RametException refusal(String field) {
    return new RametException(
        ErrorCode.UNSUPPORTED, field + ": this host cannot do that", "leave out the field", null);
  }

  private static final JsonNode FALSE = com.fasterxml.jackson.databind.node.BooleanNode.FALSE;
}
