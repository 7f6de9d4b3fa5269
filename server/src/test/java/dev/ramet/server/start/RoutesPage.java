// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Generates the reference page of routes from the OpenAPI document. */
final class RoutesPage {
  private static final String NEWER = "/v2";

  private RoutesPage() {}

  /** Returns the content of {@code docs/reference/routes.md}. */
  static String text(JsonNode document) {
    JsonNode paths = document.path("paths");
    Map<String, StringBuilder> parts = new LinkedHashMap<>();
    document.path("tags").forEach(tag -> parts.put(tag.path("name").asText(), new StringBuilder()));
    for (Map.Entry<String, JsonNode> path : paths.properties()) {
      String key = path.getKey();
      if (key.startsWith(NEWER) && paths.has(key.substring(NEWER.length()))) {
        continue;
      }
      for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
        String tag = method.getValue().path("tags").path(0).asText();
        parts
            .computeIfAbsent(tag, name -> new StringBuilder())
            .append(
                row(
                    document,
                    method.getKey().toUpperCase(Locale.ROOT) + " " + key,
                    method.getValue()));
      }
    }
    StringBuilder page =
        new StringBuilder(
            """
            <!-- Written from the OpenAPI document; RoutesPageTest says how. -->
            # Routes

            Every request that a host answers. [The HTTP API](api.md) has the rules that all of them follow. A host shows
            the fields of requests and responses at `/docs`. The routes below `/sandboxes` also exist below `/v2/sandboxes`.
            """);
    parts.forEach(
        (name, rows) -> {
          page.append("\n## ").append(Character.toUpperCase(name.charAt(0)));
          page.append(name.substring(1)).append("\n\n| request | query | |\n|---|---|---|\n");
          page.append(rows);
        });
    return page.toString();
  }

  private static String row(JsonNode document, String request, JsonNode operation) {
    String query =
        operation
            .path("parameters")
            .valueStream()
            .map(parameter -> parameter.has("$ref") ? referred(document, parameter) : parameter)
            .filter(parameter -> parameter.path("in").asText().equals("query"))
            .map(parameter -> "`" + parameter.path("name").asText() + "`")
            .collect(Collectors.joining(", "));
    String text = operation.path("description").asText(operation.path("summary").asText());
    text = text.replaceAll("\\s+", " ").strip().replace("|", "\\|");
    return "| `" + request + "` | " + query + " | " + text + " |\n";
  }

  private static JsonNode referred(JsonNode document, JsonNode reference) {
    return document.at(reference.path("$ref").asText().substring(1));
  }
}
