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
 * Completes the OpenAPI document that was generated from routes and records, with its frame, the parts common to all routes, and examples. Run during the build; arguments: generated file, frame, examples, version, directory for {@code openapi.json} and {@code openapi.yaml}.
 */
public final class FinishOpenApi {
  private static final Set<String> METHODS =
      Set.of("get", "put", "post", "delete", "patch", "head", "options");
  private static final Set<String> PUBLIC =
      Set.of("/", "/health", "/ready", "/openapi.json", "/openapi.yaml", "/docs", "/docs/{file}");

  private static final Set<String> ONCE =
      Set.of(
          "createSandbox", "connectSandbox", "resumeSandbox", "createSnapshot", "rollbackSandbox", "cloneSandbox", "forkSandbox", "forkSnapshot", "restartSandbox", "renameSandbox", "labelSandbox");
  private static final Set<String> LONG =
      Set.of("buildTemplate", "importTemplate", "exportSnapshot", "importSnapshot");

  private static final Map<String, String> ERRORS =
      new TreeMap<>(
          Map.of(
              "400", "BadRequest", "401", "Unauthenticated", "403", "Forbidden", "404", "NotFound", "409", "Conflict", "429", "RateLimited", "503", "Unavailable", "507", "NoSpace"));

  private FinishOpenApi() {}

  private static boolean canFail(
      String status, String path, String method, ObjectNode operation) {
    boolean keyless = PUBLIC.contains(path);
    boolean changes = !method.equals("get");
    return switch (status) {
      case "400" -> operation.has("requestBody") || operation.path("parameters").size() > 0;
      case "401", "403", "429" -> !keyless;
      case "404" -> path.indexOf('{') >= 0 || operation.has("requestBody");
      case "409", "507" -> changes;
      case "503" -> !keyless || path.equals("/ready");
      default -> false;
    };
  }

  /** The first sentence ends at a full stop before a space; numbers have such stops within. */
  private static String firstSentence(String description) {
    String text = description.replaceAll("\\s+", " ").strip();
    int stop = text.indexOf(". ");
    return stop < 0 ? text : text.substring(0, stop + 1);
  }

  /** Adds examples to parameters, bodies and responses. */
  private record Examples(JsonNode source, JsonNode schemas) {
    void addTo(String path, JsonNode operations) {
      operations.properties().forEach(method -> addTo(path, method.getKey(), (ObjectNode) method.getValue()));
    }

    private void addTo(String path, String method, ObjectNode operation) {
      String id = operation.path("operationId").asText().replaceAll("V2$", "");
      String where = method + " " + path;
      for (JsonNode parameter : operation.path("parameters")) {
        if (parameter.path("in").asText().equals("path")) {
          String name = parameter.path("name").asText();
          String noun = path.replaceFirst("^/v[0-9]", "").split("/")[1];
          JsonNode example = source.path("parameters").path(noun + "." + name);
          if (example.isMissingNode()) {
            example = source.path("parameters").path(name);
          }
          require(example, where + ": parameter " + name);
          ((ObjectNode) parameter).set("example", example);
        }
      }
      if (operation.path("requestBody").path("content").path("application/json")
          instanceof ObjectNode body) {
        JsonNode example = source.path("bodies").path(id);
        require(example, where + ": body of " + id);
        body.set("example", example);
      }
      for (JsonNode response : operation.path("responses")) {
        addToContents(id, response.path("content"), where);
      }
    }

    /** Adds an example to every form of a response, except files, which can be anything. */
    private void addToContents(String id, JsonNode contents, String where) {
      contents
          .properties()
          .forEach(
              form -> {
                ObjectNode content = (ObjectNode) form.getValue();
                if (form.getKey().matches("application/(json|x-ndjson)|text/event-stream")) {
                  content.set("example", of(content.path("schema"), where));
                } else if (form.getKey().startsWith("text/plain")) {
                  JsonNode example = source.path("texts").path(id);
                  require(example, where + ": text of " + id);
                  content.set("example", example);
                }
              });
    }

    /** Responses that several operations share have an example in the frame, or get one. */
    private void addToShared(JsonNode content) {
      if (!content.has("example")) {
        ((ObjectNode) content).set("example", of(content.path("schema"), "a shared response"));
      }
    }

    /** Returns an example of a schema: its required fields, and optional ones with a value. */
    private JsonNode of(JsonNode schema, String where) {
      JsonNodeFactory json = JsonNodeFactory.instance;
      String reference = schema.path("$ref").asText(schema.path("allOf").path(0).path("$ref").asText());
      if (!reference.isEmpty()) {
        return object(reference.substring(reference.lastIndexOf('/') + 1), where);
      }
      return switch (schema.path("type").asText()) {
        case "array" -> json.arrayNode().add(of(schema.path("items"), where));
        case "integer", "number" -> json.numberNode(1);
        case "boolean" -> json.booleanNode(true);
        case "string" -> json.textNode("base");
        default -> json.objectNode();
      };
    }

    private JsonNode object(String name, String where) {
      ObjectNode made = JsonNodeFactory.instance.objectNode();
      JsonNode schema = schemas.path(name);
      List<String> required = new java.util.ArrayList<>();
      schema.path("required").forEach(field -> required.add(field.asText()));
      schema
          .path("properties")
          .properties()
          .forEach(
              field -> {
                String key = field.getKey();
                JsonNode type = field.getValue();
                JsonNode value = source.path("values").path(name + "." + key);
                JsonNode general = source.path("values").path(key);
                if (value.isMissingNode() && fits(general, type)) {
                  value = general;
                }
                if (value.isMissingNode() && required.contains(key)) {
                  String kind = type.path("type").asText();
                  if (kind.equals("string") || kind.equals("object") && !type.has("allOf")) {
                    require(value, where + ": value of " + name + "." + key);
                  }
                  value = of(type, where);
                }
                if (!value.isMissingNode()) {
                  made.set(key, value);
                }
              });
      return made;
    }

    private static boolean fits(JsonNode value, JsonNode type) {
      return switch (type.path("type").asText()) {
        case "string" -> value.isTextual();
        case "integer", "number" -> value.isNumber();
        case "boolean" -> value.isBoolean();
        case "array" -> value.isArray() && !type.path("items").has("$ref");
        case "object" -> value.isObject() && !type.has("allOf") && !type.has("$ref");
        default -> false;
      };
    }

    private static void require(JsonNode example, String where) {
      if (example.isMissingNode()) {
        throw new IllegalStateException("src/openapi/examples.yaml has no example for " + where);
      }
    }
  }

  public static void main(String[] args) throws IOException {
    YAMLMapper yaml =
        YAMLMapper.builder().disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER).build();
    ObjectMapper json = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
    JsonNode generated = json.readTree(Path.of(args[0]).toFile());
    ObjectNode whole = (ObjectNode) yaml.readTree(Path.of(args[1]).toFile());
    ((ObjectNode) whole.path("info")).put("version", args[3]);
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
    JsonNode schemas = rename(generated, whole.remove("x-schema-names"));
    schemas.findParents("nullable").forEach(FinishOpenApi::sayItsType);
    Examples examples = new Examples(yaml.readTree(Path.of(args[2]).toFile()), schemas);
    paths.properties().forEach(path -> examples.addTo(path.getKey(), path.getValue()));
    components
        .path("responses")
        .forEach(response -> examples.addToShared(response.path("content").path("application/json")));
    components.set("schemas", schemas);
    whole.set("components", components);
    Path directory = Files.createDirectories(Path.of(args[4]));
    json.writeValue(directory.resolve("openapi.json").toFile(), whole);
    yaml.writeValue(directory.resolve("openapi.yaml").toFile(), whole);
  }

  /**
   * Gives schemas the names that clients' generators make types of. Records inside a class are
   * named after it, which is the host's own affair.
   *
   * @return the schemas
   */
  private static JsonNode rename(JsonNode generated, JsonNode names) {
    ObjectNode schemas = (ObjectNode) generated.path("components").path("schemas");
    ObjectNode renamed = JsonNodeFactory.instance.objectNode();
    Map<String, JsonNode> sorted = new TreeMap<>();
    for (Map.Entry<String, JsonNode> schema : schemas.properties()) {
      String name = names.path(schema.getKey()).asText(schema.getKey());
      if (name.matches(".*(Controller|Requests)\\..*") || sorted.put(name, schema.getValue()) != null) {
        throw new IllegalStateException("src/openapi/frame.yaml has no name for " + schema.getKey());
      }
    }
    sorted.forEach(renamed::set);
    String place = "#/components/schemas/";
    for (JsonNode reference : generated.findParents("$ref")) {
      String old = reference.path("$ref").asText();
      if (old.startsWith(place)) {
        String name = old.substring(place.length());
        ((ObjectNode) reference).put("$ref", place + names.path(name).asText(name));
      }
    }
    ((ObjectNode) generated.path("components")).set("schemas", renamed);
    return renamed;
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
    operation.put("summary", firstSentence(operation.path("description").asText()));
    if (path.matches("(/v2)?/sandboxes/\\{id}/(resume|refreshes)")) {
      operation.put("deprecated", true);
    }
    ObjectNode responses = (ObjectNode) operation.path("responses");
    JsonNode list =
        responses.path("200").path("content").path("application/json").path("schema");
    if (method.equals("get") && list.path("items").has("$ref")) {
      refer(operation.withArray("parameters"), "parameters/Fields");
    }
    if (id.equals("listSandboxes")) {
      refer(operation.withArray("parameters"), "parameters/Label");
    }
    ERRORS.forEach(
        (status, what) -> {
          if (canFail(status, path, method, operation)) {
            responses.putObject(status).put("$ref", "#/components/responses/" + what);
          }
        });
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
