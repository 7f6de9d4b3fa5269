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
 * JSON as it crosses the wire. Unknown fields are ignored, since a newer host may say more; absent
 * ones are left out.
 */
public final class Json {
  private static final ObjectMapper MAPPER =
      new ObjectMapper()
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .setDefaultPropertyInclusion(JsonInclude.Include.NON_NULL);

  private Json() {}

  /** The mapper, for building trees. */
  public static ObjectMapper mapper() {
    return MAPPER;
  }

  /** The bytes of a value. */
  public static byte[] bytes(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new RametException(ErrorCode.INTERNAL, "a request could not be written as JSON", e);
    }
  }

  /**
   * A value of a wire type.
   *
   * @throws RametException INTERNAL if the bytes are not that
   */
  public static <T> T read(byte[] json, Class<T> type) {
    try {
      return MAPPER.readValue(json, type);
    } catch (IOException e) {
      throw notRamet(e);
    }
  }

  /**
   * A tree.
   *
   * @throws RametException INTERNAL if the bytes are not JSON
   */
  public static JsonNode tree(byte[] json) {
    try {
      return MAPPER.readTree(json);
    } catch (IOException e) {
      throw notRamet(e);
    }
  }

  private static RametException notRamet(IOException e) {
    return new RametException(
        ErrorCode.INTERNAL,
        "the answer is not what a Ramet host sends: " + e.getMessage(),
        "check the address given by --server or RAMET_SERVER",
        e);
  }
}
