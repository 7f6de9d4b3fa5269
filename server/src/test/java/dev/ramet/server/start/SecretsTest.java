// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.server.settings.TestHost;
import dev.ramet.server.settings.TestHost.Answer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the routes for secrets, and rules that refer to secrets. */
@Timeout(900)
class SecretsTest {
  private static final String VALUE = "s3cr3t-a7f2c9e41b";
  private static final String RULES =
      "{\"API.example.org\":[{\"transform\":{\"headers\":{\"Authorization\":\"Bearer"
          + " ${e2b.secrets.key}\"}}}],\"*.example.net\":[{}]}";

  @TempDir private static Path root;

  private final TestHost host =
      new TestHost(
          Map.of(
              "ramet.data-root",
              root.toString(),
              "ramet.audit-log",
              root.resolve("audit").toString()));

  @AfterEach
  void close() {
    host.close();
  }

  private JsonNode create(String name) throws Exception {
    Answer made = host.post("/secrets", "{\"name\":\"" + name + "\",\"value\":\"" + VALUE + "\"}");
    assertEquals(201, made.status(), made.response().body());
    return made.json();
  }

  private static String sandbox(String rules) {
    return "{\"templateID\":\"base\",\"network\":{\"rules\":" + rules + "}}";
  }

  @Test
  void liveFromCreationToTheirEnd() throws Exception {
    Answer made =
        host.post(
            "/secrets",
            "{\"name\":\"key\",\"value\":\"" + VALUE + "\",\"metadata\":{\"team\":\"a\"}}");
    assertEquals(201, made.status());
    String id = made.json().path("secretID").asText();
    assertTrue(id.startsWith("sec_"));
    assertEquals("key", made.json().path("name").asText());
    assertEquals(1, made.json().path("currentVersion").asInt());
    assertEquals("a", made.json().at("/metadata/team").asText());

    assertEquals(made.json(), host.get("/secrets/key").json());
    assertEquals(made.json(), host.get("/secrets/" + id).json());
    assertEquals(409, host.post("/secrets", "{\"name\":\"key\",\"value\":\"v\"}").status());

    Answer changed = host.post("/secrets/key", "{\"value\":\"new\"}");
    assertEquals(200, changed.status());
    assertEquals(2, changed.json().path("currentVersion").asInt());
    assertEquals("a", changed.json().at("/metadata/team").asText());
    Answer replaced = host.post("/secrets/" + id, "{\"value\":\"newer\",\"metadata\":{}}");
    assertTrue(replaced.json().path("metadata").isEmpty());

    assertEquals(204, host.delete("/secrets/" + id).status());
    for (Answer gone :
        List.of(
            host.get("/secrets/key"),
            host.post("/secrets/key", "{\"value\":\"x\"}"),
            host.delete("/secrets/key"))) {
      assertEquals(404, gone.status());
      assertEquals(404, gone.json().path("code").asInt());
    }
  }

  @Test
  void areListedInPages() throws Exception {
    create("one");
    create("two");
    create("three");
    Answer first = host.get("/secrets?limit=2");
    assertEquals(2, first.json().size());
    assertEquals("one", first.json().at("/0/name").asText());
    Answer rest = host.get("/secrets?limit=2&nextToken=" + first.header("x-next-token"));
    assertEquals(1, rest.json().size());
    assertEquals("three", rest.json().at("/0/name").asText());
    assertNull(rest.header("x-next-token"));
  }

  @Test
  void aRepeatedRequestMakesOneAndKeepsNoValue() throws Exception {
    String body = "{\"name\":\"once\",\"value\":\"" + VALUE + "\"}";
    String[] key = {"Idempotency-Key", "k1"};
    Answer made = host.send("POST", "/secrets", body, key);
    Answer again = host.send("POST", "/secrets", body, key);
    assertEquals(201, again.status());
    assertEquals(made.json(), again.json());
    assertEquals(1, host.engine.secrets.list().size());
    assertEquals(422, host.send("POST", "/secrets", body.replace("once", "o"), key).status());
    try (Stream<Path> files = Files.walk(root.resolve("requests"))) {
      List<Path> answers = files.filter(Files::isRegularFile).toList();
      assertFalse(answers.isEmpty());
      for (Path file : answers) {
        assertFalse(Files.readString(file).contains(VALUE), file.toString());
      }
    }
  }

  @Test
  void valuesAreNowhereToBeRead() throws Exception {
    PrintStream before = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try {
      StringBuilder told = new StringBuilder();
      told.append(create("key"));
      String bad = "{\"name\":\"a b\",\"value\":\"" + VALUE + "\"}";
      told.append(host.post("/secrets", bad).response().body());
      told.append(host.post("/secrets", bad.replace("}", "")).response().body());
      told.append(
          host.post("/secrets", "{\"name\":\"x\",\"value\":\"" + VALUE + "\\u0001\"}")
              .response()
              .body());
      Answer made = host.post("/sandboxes", sandbox(RULES));
      String id = made.json().path("sandboxID").asText();
      for (String path :
          List.of(
              "/secrets",
              "/secrets/key",
              "/sandboxes",
              "/sandboxes/" + id,
              "/operations",
              "/metrics")) {
        told.append(host.get(path).response().body());
      }
      told.append(Files.readString(root.resolve("audit")));
      assertTrue(told.toString().contains("/secrets"));
      assertFalse(told.toString().contains(VALUE), told.toString());
    } finally {
      System.setErr(before);
    }
    assertFalse(log.toString(StandardCharsets.UTF_8).contains(VALUE));
  }

  @Test
  void rulesAreToldAsTheyWereGivenButNotInLists() throws Exception {
    create("key");
    Answer made = host.post("/sandboxes", sandbox(RULES));
    assertEquals(201, made.status(), made.response().body());
    String id = made.json().path("sandboxID").asText();
    JsonNode rules = host.get("/sandboxes/" + id).json().at("/network/rules");
    assertEquals(
        "Bearer ${e2b.secrets.key}",
        rules.path("api.example.org").at("/0/transform/headers/Authorization").asText());
    assertTrue(rules.path("*.example.net").isArray());
    JsonNode listed = host.get("/sandboxes").json();
    assertFalse(listed.toString().contains("Bearer"), listed.toString());

    assertEquals(204, host.put("/sandboxes/" + id + "/network", "{}").status());
    assertTrue(host.get("/sandboxes/" + id).json().at("/network/rules").isMissingNode());
    assertEquals(
        204, host.put("/sandboxes/" + id + "/network", "{\"rules\":" + RULES + "}").status());
    assertFalse(host.get("/sandboxes/" + id).json().at("/network/rules").isMissingNode());
  }

  @Test
  void rulesThatCannotBeAreRefusedAndNothingChanges() throws Exception {
    create("key");
    String id = host.sandbox();
    String header = "{\"a.test\":[{\"transform\":{\"headers\":{%s}}}]}";
    for (String bad :
        List.of(
            "[]",
            "{\"a.test\":{}}",
            "{\"a.test\":null}",
            "{\"a.test\":[{\"transform\":{\"headers\":[]}}]}",
            "{\"*\":[]}",
            "{\"\":[]}",
            "{\"a b\":[]}",
            "{\"10.0.0.1\":[]}",
            "{\"10.0.0.0/8\":[]}",
            "{\"*.*.test\":[]}",
            "{\"bücher.test\":[]}",
            "{\"a.test\":[],\"A.test\":[]}",
            header.formatted("\"X\":\"a\\r\\nB: c\""),
            header.formatted("\"X\":\"a\\u0000\""),
            header.formatted("\"X\":\"é\""),
            header.formatted("\"X\":null"),
            header.formatted("\"X\":1"),
            header.formatted("\"\":\"a\""),
            header.formatted("\"X Y\":\"a\""),
            header.formatted("\"X\\r\\nY\":\"a\""),
            header.formatted("\"Host\":\"a\""),
            header.formatted("\"content-length\":\"1\""),
            header.formatted("\"Transfer-Encoding\":\"chunked\""),
            header.formatted("\"X\":\"1\",\"x\":\"2\""),
            header.formatted("\"X\":\"${e2b.secrets.unknown}\""),
            header.formatted("\"X\":\"${e2b.secrets.}\""),
            header.formatted("\"X\":\"${e2b.secrets.key\""),
            header.formatted("\"X\":\"${e2b.other}\""),
            header.formatted("\"X\":\"" + "a".repeat(9000) + "\""))) {
      Answer created = host.post("/sandboxes", sandbox(bad));
      Answer changed = host.put("/sandboxes/" + id + "/network", "{\"rules\":" + bad + "}");
      for (Answer refused : List.of(created, changed)) {
        assertEquals(400, refused.status(), bad + refused.response().body());
        assertEquals(400, refused.json().path("code").asInt(), bad);
      }
    }
    assertEquals(1, host.engine.sandboxes.list().size());
    assertTrue(host.get("/sandboxes/" + id).json().path("network").isMissingNode());
  }

  @Test
  void identitiesAreRefusedWithARemedy() throws Exception {
    Answer rule =
        host.post(
            "/sandboxes",
            sandbox(
                "{\"a.test\":[{\"transform\":{\"headers\":{\"X\":\"${e2b.identity.tokens.a}\"}}}]}"));
    Answer token =
        host.post(
            "/sandboxes",
            "{\"templateID\":\"base\",\"iam\":{\"tokens\":{\"a\":{\"audience\":\"b\"}}}}");
    for (Answer refused : List.of(rule, token)) {
      assertEquals(501, refused.status());
      assertTrue(refused.json().path("remedy").asText().contains("secrets"));
    }
  }
}
