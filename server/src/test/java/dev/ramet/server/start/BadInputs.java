// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Generates malformed requests to one route from its description. */
final class BadInputs {
  /** Whether a request must be refused, or may also be accepted. */
  enum Verdict {
    REFUSED,
    EITHER
  }

  /**
   * A malformed request.
   *
   * @param what the error in it
   * @param body the body, one character for each byte, or null for none
   */
  record Bad(String what, Verdict verdict, String path, @Nullable String body) {}

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final JsonNode document;
  private final JsonNode operation;
  private final String path;
  private final List<Bad> all = new ArrayList<>();

  /**
   * Generates the requests to a route.
   *
   * @param template the path in the description
   * @param names existing objects, by the first segment of their paths
   */
  BadInputs(JsonNode document, String template, JsonNode operation, Map<String, String> names) {
    this.document = document;
    this.operation = operation;
    String bare = template.startsWith("/v2/") ? template.substring(3) : template;
    String name = names.getOrDefault(bare.split("/", 3)[1], "none");
    this.path = template.replaceAll("\\{[a-z]+}", name);
    paths(template, name);
    queries();
    bodies();
  }

  List<Bad> all() {
    return List.copyOf(all);
  }

  private void paths(String template, String name) {
    int from = 0;
    while (template.indexOf('{', from) >= 0) {
      int open = template.indexOf('{', from);
      int close = template.indexOf('}', open);
      for (String segment : OddValues.BAD_SEGMENTS) {
        String changed = template.substring(0, open) + segment + template.substring(close + 1);
        // "." and ".." may lead to another route, whose response is also correct.
        Verdict verdict =
            segment.contains("..") && !segment.contains("%") ? Verdict.EITHER : Verdict.REFUSED;
        boolean deletesAtOnce = false;
        add(
            "the path segment " + cut(segment),
            deletesAtOnce ? Verdict.EITHER : verdict,
            changed.replaceAll("\\{[a-z]+}", segment.contains("{") ? "none" : name),
            bodyOrNone());
      }
      from = close;
    }
  }

  private void queries() {
    for (JsonNode parameter : operation.path("parameters")) {
      if (!parameter.path("in").asText().equals("query")) {
        continue;
      }
      String name = parameter.path("name").asText();
      boolean whole = parameter.path("schema").path("type").asText().equals("integer");
      for (String value : whole ? OddValues.BAD_INTEGERS : OddValues.ODD_TEXTS) {
        add(
            "the query " + name + "=" + cut(value),
            whole ? Verdict.REFUSED : Verdict.EITHER,
            path + "?" + name + "=" + value,
            bodyOrNone());
      }
    }
  }

  private byte @Nullable [] bodyOrNone() {
    return schema().isMissingNode() ? null : "{}".getBytes(StandardCharsets.UTF_8);
  }

  private JsonNode schema() {
    String reference =
        operation
            .path("requestBody")
            .path("content")
            .path("application/json")
            .path("schema")
            .path("$ref")
            .asText();
    return reference.isEmpty() ? MAPPER.missingNode() : document.at(reference.substring(1));
  }

  private void bodies() {
    JsonNode schema = schema();
    if (schema.isMissingNode()) {
      return;
    }
    for (String text : OddValues.BODIES) {
      // Such a long number may be in an unknown field, which is ignored.
      Verdict verdict = text.contains("0".repeat(5000)) ? Verdict.EITHER : Verdict.REFUSED;
      add("the body " + cut(text), verdict, path, text.getBytes(StandardCharsets.UTF_8));
    }
    add(
        "too large a body",
        Verdict.REFUSED,
        path,
        ("{\"a\":\"" + "x".repeat(1 << 20) + "\"}").getBytes(StandardCharsets.UTF_8));
    add(
        "a body that is no UTF-8",
        Verdict.REFUSED,
        path,
        new byte[] {'{', '"', 'a', '"', ':', '"', (byte) 0xc3, (byte) 0x28, '"', '}'});
    add(
        "an overlong encoding",
        Verdict.REFUSED,
        path,
        new byte[] {'{', '"', (byte) 0xc0, (byte) 0xaf, '"', ':', '1', '}'});
    add(
        "a lone surrogate's bytes",
        Verdict.REFUSED,
        path,
        new byte[] {'{', '"', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"', ':', '1', '}'});
    add("UTF-16", Verdict.REFUSED, path, "{}".getBytes(StandardCharsets.UTF_16));
    add(
        "half a character",
        Verdict.REFUSED,
        path,
        new byte[] {'{', '"', 'a', '"', ':', '"', (byte) 0xe2, (byte) 0x82});
    fields(schema);
  }

  private void fields(JsonNode schema) {
    String reference =
        operation
            .path("requestBody")
            .path("content")
            .path("application/json")
            .path("schema")
            .path("$ref")
            .asText();
    Set<String> required =
        OddValues.REQUIRED.getOrDefault(
            reference.substring(reference.lastIndexOf('/') + 1), Set.of());
    for (Map.Entry<String, JsonNode> field : schema.path("properties").properties()) {
      String name = field.getKey();
      // The path names the source of a fork.
      if (required.contains(name) && !path.endsWith("/fork")) {
        ObjectNode without = good(schema);
        without.remove(name);
        add("no " + name, Verdict.REFUSED, path, bytes(without));
        with(schema, name, "null", Verdict.REFUSED);
        with(schema, name, "\"\"", Verdict.REFUSED);
      }
      String type = field.getValue().path("type").asText("object");
      for (String value : OddValues.wrongTypes(type)) {
        with(schema, name, value, Verdict.REFUSED);
      }
      for (String value : OddValues.odd(type)) {
        with(schema, name, value, Verdict.EITHER);
      }
      if (type.equals("integer")) {
        for (String value :
            List.of("-2", "-2147483648", "2147483648", "1e400", "99999999999999999999", "1.5")) {
          with(schema, name, value, Verdict.REFUSED);
        }
      }
      // A duplicate key.
      String twice = bytesText(good(schema));
      String again = "\"" + name + "\":null";
      add(
          name + " twice",
          Verdict.REFUSED,
          path,
          ("{" + again + "," + again + (twice.equals("{}") ? "}" : "," + twice.substring(1)))
              .getBytes(StandardCharsets.UTF_8));
    }
  }

  /** Returns a complete body, into which one error is then put. */
  private ObjectNode good(JsonNode schema) {
    ObjectNode body = MAPPER.createObjectNode();
    if (schema.path("properties").has("templateID")) {
      body.put("templateID", "base");
    }
    if (schema.path("properties").has("snapshotID")) {
      body.put("snapshotID", "taken");
    }
    if (schema.path("properties").has("recipe")) {
      body.put("recipe", "base");
    }
    if (operation.path("operationId").asText().equals("createVolume")) {
      body.put("name", "another");
    }
    return body;
  }

  private void with(JsonNode schema, String name, String value, Verdict verdict) {
    ObjectNode body = good(schema);
    body.remove(name);
    String rest = bytesText(body);
    String text =
        "{\"" + name + "\":" + value + (rest.equals("{}") ? "}" : "," + rest.substring(1));
    add(name + " = " + cut(value), verdict, path, text.getBytes(StandardCharsets.UTF_8));
  }

  private static String bytesText(ObjectNode body) {
    return body.toString();
  }

  private static byte[] bytes(ObjectNode body) {
    return body.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static String cut(String text) {
    return text.length() < 60 ? text : text.substring(0, 60) + "… (" + text.length() + ")";
  }

  private void add(String what, Verdict verdict, String where, byte @Nullable [] body) {
    all.add(
        new Bad(
            what,
            verdict,
            where,
            body == null ? null : new String(body, StandardCharsets.ISO_8859_1)));
  }
}
