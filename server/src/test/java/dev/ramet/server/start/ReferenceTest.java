// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.ramet.server.settings.TestHost;
import dev.ramet.server.settings.TestHost.Answer;
import io.micronaut.http.HttpMethod;
import io.micronaut.web.router.Router;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * Tests that the OpenAPI document matches this host's routes, and that its page needs no other
 * host.
 */
class ReferenceTest {
  private static final Set<String> PROTOCOLS =
      Set.of(
          "POST /v2/sandboxes",
          "POST /v2/sandboxes/{id}/connect",
          "POST /sandboxes/{id}/rollback",
          "POST /sandboxes/{id}/fork",
          "POST /snapshots/{id}/fork",
          "DELETE /templates/{id}");

  private static final Pattern METHOD =
      Pattern.compile(
          "(announce|assign|build|cancel|check|clone|collect|connect|create|delete|diff|export|fork"
              + "|get|import|kill|label|list|make|open|pause|probe|read|refresh|remove|rename|restart"
              + "|resume|rollback|set|start|stream|update|upload|write)[A-Z][A-Za-z]*(V2)?");

  /** Their contents can be anything, and are long. */
  private static final Pattern FILES =
      Pattern.compile(
          "application/octet-stream|\\*/\\*|application/yaml|text/(html|css|javascript)");

  private static TestHost host = new TestHost(Map.of("ramet.auth", "OFF"));

  @AfterAll
  static void close() {
    host.close();
  }

  private static JsonNode document() throws Exception {
    Answer answer = host.get("/openapi.json");
    assertEquals(200, answer.status());
    return answer.json();
  }

  @Test
  void everyRouteIsDescribedAndNothingElse() throws Exception {
    SortedSet<String> routes =
        host.context
            .getBean(Router.class)
            .uriRoutes()
            // The framework also answers HEAD and OPTIONS for routes with GET.
            .filter(r -> r.getHttpMethod() != HttpMethod.HEAD)
            .map(r -> r.getHttpMethodName() + " " + r.getUriMatchTemplate().toPathString())
            .collect(Collectors.toCollection(TreeSet::new));
    SortedSet<String> described = new TreeSet<>();
    for (Map.Entry<String, JsonNode> path : document().path("paths").properties()) {
      path.getValue()
          .fieldNames()
          .forEachRemaining(m -> described.add(m.toUpperCase(Locale.ROOT) + " " + path.getKey()));
    }
    assertEquals(routes, described);
    assertTrue(described.containsAll(PROTOCOLS), described.toString());
  }

  @Test
  void everyOperationSaysWhatItDoesWhatItTakesAndHowItFails() throws Exception {
    JsonNode document = document();
    List<String> missing = new ArrayList<>();
    Set<String> ids = new HashSet<>();
    for (Map.Entry<String, JsonNode> path : document.path("paths").properties()) {
      for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
        String where = method.getKey() + " " + path.getKey();
        JsonNode operation = method.getValue();
        if (operation.path("summary").asText().isEmpty()
            || !ids.add(operation.path("operationId").asText())) {
          missing.add(where + ": a summary or an id of its own");
        }
        for (JsonNode parameter : operation.path("parameters")) {
          if (!parameter.has("$ref") && parameter.path("description").asText().isEmpty()) {
            missing.add(where + ": what is " + parameter.path("name").asText());
          }
        }
        for (String failed : List.of("4XX", "5XX")) {
          if (operation.path("responses").path(failed).isMissingNode()) {
            missing.add(where + ": " + failed);
          }
        }
        JsonNode body = operation.path("requestBody").path("content").path("application/json");
        if (body.isObject() && !body.path("schema").has("$ref")) {
          missing.add(where + ": what its body is");
        }
      }
    }
    assertEquals(List.of(), missing);
    JsonNode error = document.path("components").path("schemas").path("ApiError");
    assertEquals(
        Set.of("code", "message", "error"),
        error.path("required").valueStream().map(JsonNode::asText).collect(Collectors.toSet()));
    assertFalse(
        document
            .path("components")
            .path("schemas")
            .path("SandboxInfo")
            .path("properties")
            .path("endAt")
            .path("description")
            .asText()
            .isEmpty(),
        "fields say what they mean");
  }

  /** Generators of clients make a method of each operation. */
  @Test
  void everyOperationIdIsAGoodNameForAMethod() throws Exception {
    List<String> bad = new ArrayList<>();
    for (JsonNode id : document().path("paths").findValues("operationId")) {
      if (!METHOD.matcher(id.asText()).matches()) {
        bad.add(id.asText());
      }
    }
    assertEquals(List.of(), bad, "a verb and an object");
  }

  @Test
  void everyOperationHasAWholeSummaryAnExampleAndItsErrors() throws Exception {
    JsonNode document = document();
    List<String> missing = new ArrayList<>();
    for (Map.Entry<String, JsonNode> path : document.path("paths").properties()) {
      for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
        String where = method.getKey() + " " + path.getKey() + ": ";
        JsonNode operation = method.getValue();
        String summary = operation.path("summary").asText();
        if (!summary.endsWith(".") || summary.length() > 160) {
          missing.add(where + "a sentence as summary, not " + summary);
        }
        for (JsonNode parameter : operation.path("parameters")) {
          if (parameter.path("in").asText().equals("path") && !parameter.has("example")) {
            missing.add(where + "an example of " + parameter.path("name").asText());
          }
        }
        List<JsonNode> bodies = new ArrayList<>(List.of(operation.path("requestBody")));
        operation.path("responses").forEach(bodies::add);
        for (JsonNode body : bodies) {
          for (Map.Entry<String, JsonNode> form : body.path("content").properties()) {
            if (!form.getValue().has("example") && !FILES.matcher(form.getKey()).matches()) {
              missing.add(where + "an example of " + form.getKey());
            }
          }
        }
        if (!operation.has("security")
            && !operation.path("responses").path("401").path("$ref").asText().endsWith("ated")) {
          missing.add(where + "its errors");
        }
        if (path.getKey().contains("{id}")
            && operation.path("responses").path("404").isMissingNode()) {
          missing.add(where + "404");
        }
      }
    }
    assertEquals(List.of(), missing);
    for (JsonNode shared : document.path("components").path("responses")) {
      assertTrue(shared.path("content").path("application/json").has("example"), "" + shared);
    }
  }

  /** Generators of clients make a type of each schema. */
  @Test
  void namesOfSchemasDoNotShowClassesOfTheHost() throws Exception {
    List<String> names = new ArrayList<>();
    document().path("components").path("schemas").fieldNames().forEachRemaining(names::add);
    assertEquals(
        List.of(),
        names.stream().filter(name -> name.matches(".*(Controller|Requests).*")).toList());
  }

  @Test
  void yamlSaysTheSame() throws Exception {
    Answer yaml = host.get("/openapi.yaml");
    assertEquals(200, yaml.status());
    assertEquals("application/yaml", yaml.header("content-type"));
    assertEquals(document(), new YAMLMapper().readTree(yaml.response().body()));
  }

  @Test
  void thePageIsAllHere() throws Exception {
    Answer page = host.get("/docs");
    assertEquals(200, page.status());
    assertTrue(String.valueOf(page.header("content-type")).startsWith("text/html"));
    assertTrue(
        String.valueOf(page.header("content-security-policy")).startsWith("default-src 'self'"));
    List<String> parts =
        Pattern.compile("(?:src|href)=\"([^\"]*)\"")
            .matcher(page.response().body())
            .results()
            .map(found -> found.group(1))
            .filter(part -> !part.startsWith("data:"))
            .toList();
    assertEquals(3, parts.size());
    for (String part : parts) {
      Answer answer = host.send("GET", "/" + part, null, "Accept", "*/*");
      assertEquals(200, answer.status(), part);
      assertFalse(answer.response().body().isBlank(), part);
    }
    assertEquals(404, host.get("/docs/other.js").status());
    assertEquals(404, host.get("/docs/..%2Findex.html").status());
  }

  @Test
  void aHostIsReadyWhenItsEngineIsOpen() throws Exception {
    Answer ready = host.get("/ready");
    assertEquals(200, ready.status());
    assertEquals("ready", ready.json().path("status").asText());
    java.util.concurrent.CountDownLatch open = new java.util.concurrent.CountDownLatch(1);
    try (TestHost starting =
        new TestHost(
            Map.of("ramet.engine-wait", "50ms"),
            settings -> {
              try {
                open.await();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
              return host.engine;
            })) {
      Answer not = starting.get("/ready");
      assertEquals(503, not.status());
      assertEquals("UNAVAILABLE", not.json().path("error").asText());
      assertEquals(200, starting.get("/health").status());
      open.countDown();
    }
  }

  @Test
  void needsNoKey() throws Exception {
    java.nio.file.Path keys = java.nio.file.Files.createTempDirectory("keys");
    try (TestHost closed =
        new TestHost(Map.of("ramet.auth", "ON", "ramet.data-root", keys.toString()))) {
      for (String path : List.of("/openapi.json", "/openapi.yaml", "/docs", "/ready", "/health")) {
        assertEquals(200, closed.get(path).status(), path);
      }
      assertEquals(401, closed.get("/sandboxes").status());
    } finally {
      try (var files = java.nio.file.Files.walk(keys)) {
        files.sorted(java.util.Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
      }
    }
  }
}
