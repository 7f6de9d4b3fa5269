// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.LogicalType;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads request bodies. Unknown fields are ignored, but a field of the wrong type is refused, not
 * converted, and the error names it. Thread-safe.
 */
public final class JsonBody {
  private static final JsonMapper MAPPER = mapper();
  private static final char REPLACEMENT = '\ufffd';

  private JsonBody() {}

  private static JsonMapper mapper() {
    JsonMapper.Builder builder =
        JsonMapper.builder()
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .defaultPropertyInclusion(
                JsonInclude.Value.construct(
                    JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS));
    builder.withCoercionConfig(
        LogicalType.Textual,
        config ->
            config
                .setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail));
    return builder.build();
  }

  /**
   * Parses a request body.
   *
   * @param body the text; null or empty counts as an empty object
   * @throws RametException {@code INVALID_ARGUMENT} unless it is one JSON object
   */
  public static JsonNode tree(@Nullable String body) {
    // Bytes that are not UTF-8 were decoded to this character, so a name could be changed.
    if (body != null && body.indexOf(REPLACEMENT) >= 0) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          "the request body is not well-formed UTF-8",
          "send UTF-8, and write the character U+FFFD as \\ufffd",
          null);
    }
    try {
      JsonNode tree = MAPPER.readTree(body == null || body.isEmpty() ? "{}" : body);
      if (!tree.isObject()) {
        throw new RametException(
            ErrorCode.INVALID_ARGUMENT, "the request body must be a JSON object");
      }
      return tree;
    } catch (JsonProcessingException e) {
      throw malformed(e);
    }
  }

  /** Parses a request body to a record; errors name the field. */
  public static <T> T read(@Nullable String body, Class<T> type) {
    return convert(tree(body), type);
  }

  /** Converts a tree to a record; errors name the field. */
  public static <T> T convert(JsonNode tree, Class<T> type) {
    try {
      return MAPPER.treeToValue(tree, type);
    } catch (MismatchedInputException e) {
      throw inField(e, "must be " + name(e.getTargetType()));
    } catch (JsonMappingException e) {
      throw inField(e, "cannot be read");
    } catch (JsonProcessingException e) {
      throw malformed(e);
    }
  }

  /** Returns the JSON form of a response. */
  public static JsonNode node(Object value) {
    return MAPPER.valueToTree(value);
  }

  /** Returns a parser for stored responses. */
  public static <T> Function<JsonNode, T> reader(Class<T> type) {
    return reader(MAPPER.constructType(type));
  }

  /** Returns a parser for stored responses that are lists. */
  public static <T> Function<JsonNode, List<T>> listReader(Class<T> type) {
    return reader(MAPPER.getTypeFactory().constructCollectionType(List.class, type));
  }

  private static <T> Function<JsonNode, T> reader(JavaType type) {
    ObjectReader reader = MAPPER.readerFor(type);
    return tree -> {
      try {
        return reader.readValue(tree);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    };
  }

  /** Returns one line of JSON, without the line end. */
  public static byte[] bytes(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static RametException malformed(JsonProcessingException e) {
    String where =
        e.getLocation() == null
            ? ""
            : " at line "
                + e.getLocation().getLineNr()
                + ", column "
                + e.getLocation().getColumnNr();
    return new RametException(
        ErrorCode.INVALID_ARGUMENT, "the request body is not well-formed JSON" + where, e);
  }

  private static RametException inField(JsonMappingException e, String problem) {
    String field = path(e);
    return new RametException(ErrorCode.INVALID_ARGUMENT, field + ": " + problem, e).about(field);
  }

  private static String path(JsonMappingException e) {
    StringBuilder path = new StringBuilder();
    for (JsonMappingException.Reference step : e.getPath()) {
      if (step.getFieldName() == null) {
        path.append('[').append(step.getIndex()).append(']');
      } else {
        path.append(path.isEmpty() ? "" : ".").append(step.getFieldName());
      }
    }
    return path.isEmpty() ? "the request body" : path.toString();
  }

  private static String name(@Nullable Class<?> type) {
    if (type == Integer.class || type == int.class) {
      return "an integer of at most 31 bits";
    }
    if (type == Boolean.class || type == boolean.class) {
      return "true or false";
    }
    if (type == String.class) {
      return "a string";
    }
    if (type != null && (type.isRecord() || Map.class.isAssignableFrom(type))) {
      return "an object";
    }
    return "of a different type";
  }
}
