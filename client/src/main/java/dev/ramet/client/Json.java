// SPDX-License-Identifier: Apache-2.0
package dev.ramet.client;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;

/**
 * Reads and writes the JSON of the wire format: null fields are omitted, unknown fields are
 * ignored.
 */
final class Json {
  private static final ObjectMapper MAPPER =
      new ObjectMapper()
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .setDefaultPropertyInclusion(JsonInclude.Include.NON_NULL);

  private Json() {}

  static byte[] bytes(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new RametException(ErrorCode.INTERNAL, "a request could not be written as JSON", e);
    }
  }

  static <T> T read(byte[] json, Class<T> type) {
    try {
      T value = MAPPER.readValue(json, type);
      if (value == null) {
        throw new IOException("it is null");
      }
      return value;
    } catch (IOException e) {
      throw invalidResponse(e);
    }
  }

  private static RametException invalidResponse(IOException e) {
    return new RametException(
        ErrorCode.INTERNAL,
        "the response is not from a Ramet host: " + e.getMessage(),
        "check the address",
        e);
  }
}
