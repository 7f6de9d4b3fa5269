// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.request;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import dev.ramet.api.sandbox.CreateSandbox;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.http.Json;
import dev.ramet.cli.output.Yaml;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of a request for a sandbox from a file of YAML or JSON. A field that the API does
 * not have is refused, because a host would ignore it.
 */
public final class RequestFile {
  private static final int MAX_BYTES = 1 << 20;
  private static final List<String> TEXT_MAPS = List.of("metadata", "envVars");

  private RequestFile() {}

  /**
   * Reads a request.
   *
   * @param file the file; {@code -} is standard input, null an empty request
   * @throws RametException INVALID_ARGUMENT when it is not a request
   */
  public static CreateSandbox read(Context context, @Nullable String file) throws IOException {
    if (file == null) {
      return CreateSandbox.builder().build();
    }
    String name = file.equals("-") ? "standard input" : file;
    JsonNode tree = Yaml.read(name, text(context, file, name));
    if (!tree.isObject()) {
      throw invalid(name, "not the fields of a request, such as templateID: micro");
    }
    for (String map : TEXT_MAPS) {
      tree.path(map)
          .properties()
          .forEach(
              field -> {
                if (!field.getValue().isTextual()) {
                  throw invalid(name, map + "." + field.getKey() + ": put the value in quotes");
                }
              });
    }
    try {
      return Json.mapper()
          .readerFor(CreateSandbox.class)
          .with(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .readValue(tree);
    } catch (UnrecognizedPropertyException e) {
      String known =
          e.getKnownPropertyIds().stream().map(String::valueOf).sorted().collect(commas());
      throw invalid(name, place(e) + ": no such field; there are " + known);
    } catch (JsonMappingException e) {
      throw invalid(name, place(e) + ": a value of another type is needed");
    } catch (JsonProcessingException e) {
      throw invalid(name, "not a request for a sandbox");
    }
  }

  private static java.util.stream.Collector<CharSequence, ?, String> commas() {
    return Collectors.joining(", ");
  }

  private static String text(Context context, String file, String name) throws IOException {
    byte[] bytes;
    if (file.equals("-")) {
      bytes = context.in().readNBytes(MAX_BYTES + 1);
    } else {
      try (InputStream in = Files.newInputStream(Path.of(file))) {
        bytes = in.readNBytes(MAX_BYTES + 1);
      }
    }
    if (bytes.length > MAX_BYTES) {
      throw invalid(name, "larger than 1 MiB");
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static String place(JsonMappingException e) {
    StringBuilder place = new StringBuilder();
    for (JsonMappingException.Reference part : e.getPath()) {
      if (part.getFieldName() == null) {
        place.append('[').append(part.getIndex()).append(']');
      } else {
        place.append(place.isEmpty() ? "" : ".").append(part.getFieldName());
      }
    }
    return place.toString();
  }

  private static RametException invalid(String name, String problem) {
    return new RametException(ErrorCode.INVALID_ARGUMENT, name + ": " + problem);
  }
}
