// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ramet.engine.sandboxes.NewSandbox;
import dev.ramet.keys.KeyFile;
import dev.ramet.keys.Scope;
import dev.ramet.server.settings.TestHost;
import dev.ramet.server.settings.TestHost.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests which requests a host accepts when it requires keys. */
class AccessTest {
  private static final String SANDBOX = "{\"templateID\":\"base\"}";
  @TempDir private Path root;

  private TestHost host(Object... properties) {
    Map<String, Object> all = new HashMap<>();
    all.put("ramet.auth", "ON");
    all.put("ramet.data-root", root.toString());
    for (int i = 0; i < properties.length; i += 2) {
      all.put((String) properties[i], properties[i + 1]);
    }
    return new TestHost(all);
  }

  private String key(String name, Scope scope) throws Exception {
    return new KeyFile(root.resolve(KeyFile.NAME)).create(name, scope).key();
  }

  private List<JsonNode> audit() throws Exception {
    List<JsonNode> lines = new ArrayList<>();
    for (String line : Files.readAllLines(root.resolve("audit.log"))) {
      lines.add(new ObjectMapper().readTree(line));
    }
    return lines;
  }

  @Test
  void answersOnlyThoseWithAKey() throws Exception {
    try (TestHost host = host()) {
      assertEquals(200, host.get("/health").status(), "load balancers have none");
      Answer refused = host.post("/sandboxes", SANDBOX);
      assertEquals(401, refused.status());
      assertEquals(401, refused.json().path("code").asInt());
      assertEquals("UNAUTHENTICATED", refused.json().path("error").asText());
      assertNotNull(refused.header("WWW-Authenticate"));
      assertEquals(401, host.get("/no/such/route").status(), "routes are not told to strangers");

      String key = key("ci", Scope.USER); // a running host accepts it at once
      assertEquals(201, host.send("POST", "/sandboxes", SANDBOX, "X-API-Key", key).status());
      assertEquals(
          200, host.send("GET", "/sandboxes", null, "Authorization", "Bearer " + key).status());
      for (String wrong : List.of("", " ", key + "0", key.substring(1), "e2b_00", "ä")) {
        String sent = wrong.equals("ä") ? "%C3%A4" : wrong;
        assertEquals(401, host.send("GET", "/sandboxes", null, "X-API-Key", sent).status(), wrong);
      }
      new KeyFile(root.resolve(KeyFile.NAME)).revoke("ci");
      assertEquals(401, host.send("GET", "/sandboxes", null, "X-API-Key", key).status());
      assertEquals(1, host.engine.sandboxes.byId.size());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /sandboxes, 200, 200",
    "GET, /v2/sandboxes, 200, 200",
    "GET, /templates, 200, 200",
    "GET, /metrics, 403, 200",
    "GET, /doctor, 403, 200",
    "POST, /templates, 403, 400",
    "POST, /templates/import, 403, 400",
    "POST, /templates/image, 403, 400",
    "DELETE, /templates/base, 403, 204",
    "GET, /%74emplates/x, 403, 404",
    "GET, //templates, 403, 404",
    "POST, /v9/anything, 403, 404"
  })
  void keepsTheHostForAdministrators(String method, String path, int user, int admin)
      throws Exception {
    try (TestHost host = host()) {
      String body = method.equals("POST") ? "{}" : null;
      Answer asUser = host.send(method, path, body, "X-API-Key", key("user", Scope.USER));
      assertEquals(user, asUser.status(), asUser.response().body());
      Answer asAdmin = host.send(method, path, body, "X-API-Key", key("admin", Scope.ADMIN));
      assertEquals(admin, asAdmin.status(), asAdmin.response().body());
      if (user == 403) {
        assertEquals("FORBIDDEN", asUser.json().path("error").asText());
        assertTrue(asUser.json().path("remedy").asText().contains("--scope admin"));
      }
    }
  }

  @Test
  void sandboxesOfSuchAHostHaveTokens() throws Exception {
    try (TestHost host = host()) {
      host.send("POST", "/sandboxes", SANDBOX, "X-API-Key", key("ci", Scope.USER));
      NewSandbox asked = host.engine.sandboxes.last;
      assertNotNull(asked);
      assertTrue(asked.rules().secure());
    }
  }

  @Test
  void slowsDownThoseWhoAskTooOften() throws Exception {
    try (TestHost host = host("ramet.rate-limit", "1")) {
      String eager = key("eager", Scope.USER);
      String other = key("other", Scope.USER);
      Answer last = host.send("GET", "/sandboxes", null, "X-API-Key", eager);
      for (int i = 0; i < 20 && last.status() == 200; i++) {
        last = host.send("GET", "/sandboxes", null, "X-API-Key", eager);
      }
      assertEquals(429, last.status());
      assertEquals("1", last.header("Retry-After"), "whole seconds, as clients want them");
      assertEquals("RATE_LIMITED", last.json().path("error").asText());
      assertEquals(200, host.send("GET", "/sandboxes", null, "X-API-Key", other).status());
    }
  }

  @Test
  void writesDownWhoDidWhat() throws Exception {
    String key = key("ci", Scope.USER);
    try (TestHost host = host()) {
      host.send("POST", "/sandboxes", SANDBOX, "X-API-Key", key);
      host.send("GET", "/sandboxes", null, "X-API-Key", key);
      host.send("DELETE", "/sandboxes/nosuchsandbox", null, "X-API-Key", key);
      host.get("/sandboxes");
    }
    List<JsonNode> lines = audit();
    assertEquals(3, lines.size(), "reading is not worth a line, being refused is");
    JsonNode created = lines.get(0);
    assertEquals("POST", created.path("method").asText());
    assertEquals("/sandboxes", created.path("path").asText());
    assertEquals(201, created.path("status").asInt());
    assertEquals("ci", created.path("keyName").asText());
    assertEquals("127.0.0.1", created.path("remote").asText());
    assertEquals(404, lines.get(1).path("status").asInt());
    assertEquals(401, lines.get(2).path("status").asInt());
    assertTrue(lines.get(2).path("key").isMissingNode());
    assertTrue(lines.stream().noneMatch(line -> line.toString().contains(key)));
  }

  @Test
  void aHostOnLoopbackAsksForKeysAsWell() throws Exception {
    try (TestHost host = host("ramet.auth", "AUTO")) {
      Answer refused = host.post("/sandboxes", SANDBOX);
      assertEquals(401, refused.status());
      String remedy = refused.json().path("remedy").asText();
      for (String way :
          List.of(
              "ramet key local",
              "ramet.socket",
              "ramet key create",
              "RAMET_API_KEY",
              "E2B_API_KEY")) {
        assertTrue(remedy.contains(way), remedy);
      }
      assertEquals(200, host.get("/health").status());
      assertEquals(200, host.get("/ready").status());
      assertTrue(host.engine.sandboxes.byId.isEmpty());
    }
  }

  @Test
  void aHostThatAsksForNothing() throws Exception {
    try (TestHost host = host("ramet.auth", "OFF")) {
      assertEquals(201, host.post("/sandboxes", SANDBOX).status());
      assertEquals(201, host.send("POST", "/sandboxes", SANDBOX, "X-API-Key", "any").status());
      NewSandbox asked = host.engine.sandboxes.last;
      assertNotNull(asked);
      assertNotEquals(true, asked.rules().secure());
      assertNull(host.get("/sandboxes").header("WWW-Authenticate"));
    }
    assertTrue(Files.notExists(root.resolve("audit.log")));
  }

  @Test
  void aKeyFileThatCannotBeReadIsNoOpenDoor() throws Exception {
    String key = key("ci", Scope.ADMIN);
    try (TestHost host = host()) {
      Files.writeString(root.resolve(KeyFile.NAME), "{");
      Answer answer = host.send("GET", "/sandboxes", null, "X-API-Key", key);
      assertEquals(500, answer.status());
      assertEquals("CORRUPT", answer.json().path("error").asText());
    }
  }
}
