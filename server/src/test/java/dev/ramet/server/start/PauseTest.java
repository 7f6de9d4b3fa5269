// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.SandboxRules;
import dev.ramet.engine.sandboxes.Sandboxes.Timeout;
import dev.ramet.server.settings.Guest;
import dev.ramet.server.settings.Guest.Http;
import dev.ramet.server.settings.Guest.Http.Head;
import dev.ramet.server.settings.TestHost;
import dev.ramet.server.settings.TestHost.Answer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests pause, automatic resume, access tokens, and a guest's metrics and logs. */
@org.junit.jupiter.api.Timeout(900)
class PauseTest {
  private final TestHost host = new TestHost(Map.of());

  @AfterEach
  void close() {
    host.close();
  }

  private String create(String more) throws Exception {
    Answer made = host.post("/v2/sandboxes", "{\"templateID\":\"base\"" + more + "}");
    assertEquals(201, made.status(), made.response().body());
    return made.json().path("sandboxID").asText();
  }

  @Test
  void pausesAndResumes() throws Exception {
    String id = create("");
    assertEquals(204, host.post("/sandboxes/" + id + "/pause", null).status());
    assertTrue(host.engine.sandboxes.lastPauseKeptMemory);
    assertEquals("paused", host.get("/sandboxes/" + id).json().path("state").asText());
    assertEquals(1, host.get("/v2/sandboxes?state=paused").json().size());
    Answer again = host.post("/sandboxes/" + id + "/pause", "{}");
    assertEquals(409, again.status());
    assertEquals(409, again.json().path("code").asInt());
    Answer resumed = host.post("/v2/sandboxes/" + id + "/connect", "{\"timeout\":60}");
    assertEquals(201, resumed.status());
    assertEquals("running", resumed.json().path("state").asText());
    assertEquals(200, host.post("/sandboxes/" + id + "/connect", "{\"timeout\":60}").status());
    assertEquals(204, host.post("/v2/sandboxes/" + id + "/pause", "{\"memory\":false}").status());
    assertFalse(host.engine.sandboxes.lastPauseKeptMemory);
    assertEquals(201, host.post("/sandboxes/" + id + "/resume", "{\"timeout\":-1}").status());
    assertNull(host.engine.sandboxes.lastPauseMode);
    String mode = "{\"memoryMode\":\"incremental\"}";
    assertEquals(204, host.post("/sandboxes/" + id + "/pause", mode).status());
    assertEquals("incremental", host.engine.sandboxes.lastPauseMode);
    assertEquals(201, host.post("/sandboxes/" + id + "/resume", null).status());
    Answer unknown = host.post("/sandboxes/" + id + "/pause", "{\"memoryMode\":\"telepathy\"}");
    assertEquals(400, unknown.status());
    assertEquals(404, host.post("/sandboxes/nothing/pause", null).json().path("code").asInt());
    assertEquals(400, host.post("/sandboxes/" + id + "/pause", "{\"memory\":3.5}").status());
  }

  @Test
  void connectingNeverBringsTheEndNearer() throws Exception {
    String id = create(",\"timeout\":1000");
    Instant end = Instant.parse(host.get("/sandboxes/" + id).json().path("endAt").asText());
    Answer connected = host.post("/sandboxes/" + id + "/connect", "{\"timeout\":1}");
    assertEquals(end, Instant.parse(connected.json().path("endAt").asText()));
    connected = host.post("/sandboxes/" + id + "/connect", "{\"timeout\":2000}");
    assertTrue(Instant.parse(connected.json().path("endAt").asText()).isAfter(end));
  }

  /** The engine knows what was asked for before; a default of the host must not hide it. */
  @Test
  void whatWasAskedForBeforeIsKeptUnlessTheRequestSaysOtherwise() throws Exception {
    String id = create(",\"timeout\":-1");
    assertNull(resumed(id, null));
    assertNull(resumed(id, "{}"));
    assertEquals(new Timeout(Duration.ofSeconds(60)), resumed(id, "{\"timeout\":60}"));
    assertEquals(
        new Timeout(Duration.ofSeconds(60), true),
        resumed(id, "{\"timeout\":60,\"replaceNever\":true}"));
    assertEquals(new Timeout(null), resumed(id, "{\"timeout\":-1}"));
    assertEquals(200, host.post("/sandboxes/" + id + "/connect", "{\"timeout\":60}").status());
    assertTrue(host.get("/sandboxes/" + id).json().path("endAt").isMissingNode());
    assertEquals(400, host.post("/sandboxes/" + id + "/connect", "{\"replaceNever\":1}").status());
  }

  private @Nullable Timeout resumed(String id, @Nullable String body) throws Exception {
    assertEquals(204, host.post("/sandboxes/" + id + "/pause", null).status());
    assertEquals(201, host.post("/sandboxes/" + id + "/connect", body).status());
    return host.engine.sandboxes.lastTimeout;
  }

  @Test
  void takesRulesInBothShapes() throws Exception {
    create(",\"autoPause\":true,\"autoPauseMemory\":false");
    assertEquals(rules(SandboxRules.AtEnd.PAUSE, false, false), lastRules());
    String id = create(",\"autoPause\":true,\"autoResume\":{\"enabled\":true}");
    assertEquals(rules(SandboxRules.AtEnd.PAUSE, true, true), lastRules());
    JsonNode lifecycle = host.get("/sandboxes/" + id).json().path("lifecycle");
    assertEquals("pause", lifecycle.path("onTimeout").asText());
    assertTrue(lifecycle.path("autoResume").asBoolean());
    create(",\"lifecycle\":{\"onTimeout\":\"pause\",\"autoResume\":true}");
    assertEquals(rules(SandboxRules.AtEnd.PAUSE, true, true), lastRules());
    for (String bad :
        new String[] {
          ",\"autoPause\":true,\"autoPauseMemory\":false,\"autoResume\":{\"enabled\":true}",
          ",\"lifecycle\":{\"onTimeout\":\"sleep\"}",
          ",\"lifecycle\":7",
          ",\"autoPause\":\"maybe\""
        }) {
      Answer refused = host.post("/v2/sandboxes", "{\"templateID\":\"base\"" + bad + "}");
      assertEquals(400, refused.status(), bad);
      assertEquals(400, refused.json().path("code").asInt());
    }
  }

  private SandboxRules lastRules() {
    return Objects.requireNonNull(host.engine.sandboxes.last).rules();
  }

  private static SandboxRules rules(
      SandboxRules.AtEnd atEnd, boolean keepMemory, boolean autoResume) {
    return new SandboxRules(atEnd, keepMemory, autoResume, true);
  }

  @Test
  void oneResumeServesAllRequestsThatWakeASandbox() throws Exception {
    String id = create(",\"autoPause\":true,\"autoResume\":{\"enabled\":true}");
    try (Guest guest = answering("awake")) {
      host.engine.sandboxes.endpoints.put(id + ":8080", guest.address());
      host.post("/sandboxes/" + id + "/pause", null);
      List<CompletableFuture<Answer>> answers = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        answers.add(CompletableFuture.supplyAsync(() -> viaHeaders(id, 8080)));
      }
      for (CompletableFuture<Answer> answer : answers) {
        assertEquals("awake", answer.get().response().body());
      }
      assertTrue(host.engine.sandboxes.resumes.get() >= 1);
    }
  }

  @Test
  void aRequestWakesNobodyWhoDidNotAskForIt() throws Exception {
    String id = create(",\"autoPause\":true");
    host.post("/sandboxes/" + id + "/pause", null);
    Answer answer = viaHeaders(id, 49983);
    assertEquals(502, answer.status());
    assertEquals(502, answer.json().path("code").asInt());
    assertEquals(Sandbox.State.PAUSED, host.engine.sandboxes.get(id).state());
  }

  private Answer viaHeaders(String id, int port) {
    try {
      return host.send("GET", "/", null, "E2b-Sandbox-Id", id, "E2b-Sandbox-Port", "" + port);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static Guest answering(String text) throws Exception {
    return new Guest(
        http -> {
          for (Head head = http.head(); head != null; head = http.head()) {
            http.body(head);
            http.send("HTTP/1.1 200 OK\r\nContent-Length: " + text.length() + "\r\n\r\n" + text);
          }
        });
  }

  @Test
  void tokensAreToldToWhoUsesASandboxAndNotInLists() throws Exception {
    Answer made = host.post("/v2/sandboxes", "{\"templateID\":\"base\"}");
    String token = made.json().path("envdAccessToken").asText();
    assertFalse(token.isEmpty());
    String path = "/sandboxes/" + made.json().path("sandboxID").asText();
    assertEquals(token, host.get(path).json().path("envdAccessToken").asText());
    assertFalse(host.get("/v2/sandboxes").response().body().contains(token));
    Answer plain = host.post("/sandboxes", "{\"templateID\":\"base\"}");
    assertFalse(plain.json().has("envdAccessToken"));
    Answer asked = host.post("/sandboxes", "{\"templateID\":\"base\",\"secure\":true}");
    assertTrue(asked.json().has("envdAccessToken"));
  }

  @Test
  void aSignedRequestFindsItsSandbox() throws Exception {
    String id = create("");
    String token = Objects.requireNonNull(host.engine.sandboxes.get(id).accessToken());
    create("");
    try (Guest guest = answering("content")) {
      host.engine.sandboxes.endpoints.put(id + ":49983", guest.address());
      String query = "path=a%20b&username=me&signature_expiration=17&signature=";
      String signature = signature("a b:read:me:" + token + ":17");
      assertEquals("content", host.get("/files?" + query + signature).response().body());
      Answer other = host.get("/files?" + query + signature("a b:read:me:other:17"));
      assertEquals(401, other.status());
      assertEquals(401, other.json().path("code").asInt());
      assertEquals(401, host.post("/files?" + query + signature, "{}").status());
      assertEquals(404, host.get("/files?path=x").status());
    }
  }

  private static String signature(String signed) throws Exception {
    byte[] sum =
        MessageDigest.getInstance("SHA-256").digest(signed.getBytes(StandardCharsets.UTF_8));
    String text = "v1_" + Base64.getEncoder().withoutPadding().encodeToString(sum);
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  @Test
  void whatIsForTheHostAloneIsNotPassedOn() throws Exception {
    String id = create("");
    try (Guest guest = answering("reached")) {
      host.engine.sandboxes.endpoints.put(id + ":49983", guest.address());
      host.engine.sandboxes.endpoints.put(id + ":80", guest.address());
      for (String target :
          new String[] {
            "/init",
            "/ready",
            "/settle?x=1",
            "/volume?id=v&path=/m",
            "/%69nit",
            "http://localhost:1/init",
            "/init?"
          }) {
        try (Http client = Http.connect(host.port())) {
          client.send(
              "POST "
                  + target
                  + " HTTP/1.1\r\nHost: localhost\r\nE2b-Sandbox-Id: "
                  + id
                  + "\r\nContent-Length: 0\r\n\r\n");
          assertEquals("HTTP/1.1 404 Not Found", client.needHead().line(), target);
        }
      }
      Answer port80 =
          host.send("GET", "/init", null, "E2b-Sandbox-Id", id, "E2b-Sandbox-Port", "80");
      assertEquals("reached", port80.response().body());
    }
  }

  @Test
  void tellsTheLoadOfAGuest() throws Exception {
    String id = create("");
    JsonNode load = host.get("/sandboxes/" + id + "/metrics").json();
    assertEquals(1, load.size());
    assertEquals(12.5, load.path(0).path("cpuUsedPct").asDouble());
    assertEquals(50, load.path(0).path("memUsed").asLong());
    // A second request shortly afterwards does not query the guest.
    assertEquals(1, host.get("/sandboxes/" + id + "/metrics").json().size());
    long time = load.path(0).path("timestampUnix").asLong();
    assertEquals(0, host.get("/sandboxes/" + id + "/metrics?end=" + (time - 1)).json().size());
    assertEquals(0, host.get("/sandboxes/" + id + "/metrics?start=" + (time + 1)).json().size());
    host.post("/sandboxes/" + id + "/pause", null);
    assertEquals(1, host.get("/sandboxes/" + id + "/metrics").json().size());
    assertEquals(400, host.get("/sandboxes/" + id + "/metrics?start=2&end=1").status());
    assertEquals(400, host.get("/sandboxes/" + id + "/metrics?start=x").status());
    assertEquals(404, host.get("/sandboxes/nothing/metrics").json().path("code").asInt());
  }

  @Test
  void tellsTheEndOfTheConsole(@TempDir Path directory) throws Exception {
    String id = create("");
    assertEquals(0, host.get("/sandboxes/" + id + "/logs").json().path("logs").size());
    Path console = directory.resolve("console.log");
    Files.writeString(console, "x".repeat(300 << 10) + "\none\ntwo \u0007\n");
    host.engine.sandboxes.console = console;
    JsonNode logs = host.get("/v2/sandboxes/" + id + "/logs?limit=2").json();
    assertEquals("one", logs.path("logs").path(0).path("line").asText());
    assertEquals("two \u0007", logs.path("logEntries").path(1).path("message").asText());
    assertEquals(2, logs.path("logs").size());
    assertEquals(400, host.get("/sandboxes/" + id + "/logs?limit=0").status());
    assertEquals(404, host.get("/sandboxes/nothing/logs").status());
  }
}
