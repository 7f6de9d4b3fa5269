// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;

/**
 * Reads and writes the JSON of the wire format. Unknown fields are ignored, because a newer host
 * may send more; null fields are omitted.
 */
public final class Json {
  private static final ObjectMapper MAPPER =
      new ObjectMapper()
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .setDefaultPropertyInclusion(JsonInclude.Include.NON_NULL);

  private Json() {}

  /** Returns the mapper, for building trees. */
  public static ObjectMapper mapper() {
    return MAPPER;
  }

  /** Writes a value as JSON. */
  public static byte[] bytes(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new RametException(ErrorCode.INTERNAL, "a request could not be written as JSON", e);
    }
  }

  /**
   * Parses a value of a wire type.
   *
   * @throws RametException INTERNAL if the bytes are not that
   */
  public static <T> T read(byte[] json, Class<T> type) {
    try {
      return MAPPER.readValue(json, type);
    } catch (IOException e) {
      throw invalidResponse(e);
    }
  }

  /**
   * Parses a tree.
   *
   * @throws RametException INTERNAL if the bytes are not JSON
   */
  public static JsonNode tree(byte[] json) {
    try {
      return MAPPER.readTree(json);
    } catch (IOException e) {
      throw invalidResponse(e);
    }
  }

  private static RametException invalidResponse(IOException e) {
    return new RametException(
        ErrorCode.INTERNAL,
        "the response is not from a Ramet host: " + e.getMessage(),
        "check the address in --server or RAMET_SERVER",
        e);
  }
}
