// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import java.util.List;

/**
 * Refuses fields of other protocols that ask for something this host does not do, where ignoring
 * them would promise it. A field that asks for nothing ({@code false}, empty) passes. Thread-safe.
 */
final class Unsupported {
  private static final List<String> AT_CREATE = List.of("network", "iam", "mcp", "volumeMounts");

  private Unsupported() {}

  static void refuseAtCreate(JsonNode body) {
    AT_CREATE.forEach(field -> refuse(body, field));
  }

  static void refuse(JsonNode body, String field) {
    JsonNode value = body.path(field);
    boolean asksForSomething =
        value.isContainerNode()
            ? !value.isEmpty()
            : !value.isMissingNode() && !value.isNull() && !value.equals(FALSE);
    if (asksForSomething) {
      throw new RametException(
          ErrorCode.UNSUPPORTED, field + ": this host cannot do that", "leave the field out", null);
    }
  }

  private static final JsonNode FALSE = com.fasterxml.jackson.databind.node.BooleanNode.FALSE;
}
