// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.wire;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;

/** Reads and writes the JSON of the agent's protocol. */
public final class Json {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Json() {}

  /** Returns an empty object. */
  public static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  /** Writes a value on one line. */
  public static byte[] bytes(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new RametException(ErrorCode.INTERNAL, "a request could not be written as JSON", e);
    }
  }

  /**
   * Parses a value.
   *
   * @throws IOException if the bytes are not JSON
   */
  public static JsonNode tree(byte[] json) throws IOException {
    return MAPPER.readTree(json);
  }
}
