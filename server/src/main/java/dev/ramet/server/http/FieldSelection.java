// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.api.operation.ApiError;
import dev.ramet.errors.ErrorCode;
import io.micronaut.http.HttpMethod;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.ResponseFilter;
import io.micronaut.http.annotation.ServerFilter;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Reduces the entries of lists to the fields in {@code ?fields=a,b}. Fields without a value are
 * left out, as in whole entries. An unknown field is refused. Thread-safe.
 */
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
final class FieldSelection {
  @ResponseFilter
  void select(HttpRequest<?> request, MutableHttpResponse<?> response) {
    List<String> asked = request.getParameters().getAll("fields");
    if (asked.isEmpty()
        || request.getMethod() != HttpMethod.GET
        || response.code() != HttpStatus.OK.getCode()
        || !(response.body() instanceof List<?> entries)) {
      return;
    }
    Set<String> fields =
        asked.stream()
            .flatMap(list -> Arrays.stream(list.split(",", -1)))
            .map(String::strip)
            .collect(Collectors.toCollection(TreeSet::new));
    List<JsonNode> selected = new ArrayList<>();
    for (Object entry : entries) {
      Set<String> known = names(entry);
      for (String field : fields) {
        if (!known.contains(field)) {
          refuse(response, field, known);
          return;
        }
      }
      selected.add(((ObjectNode) JsonBody.node(entry)).retain(fields));
    }
    response.body(selected);
  }

  private static Set<String> names(Object entry) {
    RecordComponent[] components = entry.getClass().getRecordComponents();
    return components == null
        ? Set.of()
        : Arrays.stream(components)
            .map(RecordComponent::getName)
            .collect(Collectors.toCollection(TreeSet::new));
  }

  private static void refuse(MutableHttpResponse<?> response, String field, Set<String> known) {
    ApiError error =
        ApiError.of(
            ErrorCode.INVALID_ARGUMENT,
            "fields: the entries of this list have no field \"" + field + "\"",
            "use some of " + String.join(", ", known),
            "fields");
    response
        .status(HttpStatus.BAD_REQUEST)
        .contentType(MediaType.APPLICATION_JSON_TYPE)
        .body(error);
  }
}
