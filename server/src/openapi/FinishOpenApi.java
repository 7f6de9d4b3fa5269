// SPDX-License-Identifier: Apache-2.0

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Completes the OpenAPI document that was generated from routes and records, with its frame and the parts common to all routes. Run during the build; arguments: generated file, frame, version, directory for {@code openapi.json} and {@code openapi.yaml}.
 */
public final class FinishOpenApi {
  private static final Set<String> METHODS =
      Set.of("get", "put", "post", "delete", "patch", "head", "options");
  private static final Set<String> PUBLIC =
      Set.of("/health", "/ready", "/openapi.json", "/openapi.yaml", "/docs", "/docs/{file}");

  private static final Set<String> ONCE =
      Set.of(
          "createSandbox", "connectSandbox", "resumeSandbox", "createSnapshot", "rollbackSandbox", "cloneSandbox", "forkSandbox", "forkSnapshot");
  private static final Set<String> LONG =
      Set.of("buildTemplate", "importTemplate", "exportSnapshot", "importSnapshot");

  private FinishOpenApi() {}

  public static void main(String[] args) throws IOException {
    YAMLMapper yaml =
        YAMLMapper.builder().disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER).build();
    ObjectMapper json = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
    JsonNode generated = json.readTree(Path.of(args[0]).toFile());
    ObjectNode whole = (ObjectNode) yaml.readTree(Path.of(args[1]).toFile());
    ((ObjectNode) whole.path("info")).put("version", args[2]);
    ObjectNode paths = JsonNodeFactory.instance.objectNode();
    Map<String, JsonNode> sorted = new TreeMap<>();
    generated.path("paths").properties().forEach(e -> sorted.put(e.getKey(), e.getValue()));
    for (Map.Entry<String, JsonNode> path : sorted.entrySet()) {
      for (String method : METHODS) {
        if (path.getValue().path(method) instanceof ObjectNode operation) {
          finish(path.getKey(), method, operation);
        }
      }
      paths.set(path.getKey(), path.getValue());
    }
    ObjectNode components = (ObjectNode) whole.remove("components");
    whole.set("paths", paths);
    JsonNode schemas = generated.path("components").path("schemas");
    schemas.findParents("nullable").forEach(FinishOpenApi::sayItsType);
    components.set("schemas", schemas);
    whole.set("components", components);
    Path directory = Files.createDirectories(Path.of(args[3]));
    json.writeValue(directory.resolve("openapi.json").toFile(), whole);
    yaml.writeValue(directory.resolve("openapi.yaml").toFile(), whole);
  }

  /** A nullable reference has no type, but without a type it cannot be nullable. */
  private static void sayItsType(JsonNode schema) {
    if (schema.has("allOf") && !schema.has("type")) {
      ((ObjectNode) schema).put("type", "object");
    }
  }

  private static void refer(ArrayNode list, String what) {
    list.addObject().put("$ref", "#/components/" + what);
  }

  private static void finish(String path, String method, ObjectNode operation) {
    // Routes with several paths get numbers, which change when routes are added.
    String id = operation.path("operationId").asText().replaceAll("_[0-9]+$", "");
    if (path.endsWith("/resume")) {
      id = id.replace("connect", "resume");
    }
    operation.put("operationId", path.startsWith("/v2/") ? id + "V2" : id);
    ObjectNode responses = (ObjectNode) operation.path("responses");
    if (ONCE.contains(id) || LONG.contains(id)) {
      refer(operation.withArray("parameters"), "parameters/IdempotencyKey");
    }
    if (LONG.contains(id)) {
      refer(operation.withArray("parameters"), "parameters/Prefer");
      responses.putObject("202").put("$ref", "#/components/responses/Accepted");
    }
    for (String status : List.of("4XX", "5XX")) {
      responses
          .putObject(status)
          .put("$ref", "#/components/responses/" + (status.equals("4XX") ? "Refused" : "Failed"));
    }
    if (operation.path("requestBody").path("content").path("application/json").isObject()) {
      // An absent body counts as an empty object.
      JsonNode schema = operation.path("requestBody").path("content").path("application/json").path("schema");
      ((ObjectNode) operation.path("requestBody")).put("required", false);
      if (schema.isMissingNode()) {
        throw new IllegalStateException(method + " " + path + " has a body without a schema");
      }
    }
    if (PUBLIC.contains(path)) {
      operation.set("security", operation.arrayNode());
    }
  }
}
