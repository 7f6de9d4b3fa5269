// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.egress.rule.NetworkRules;
import dev.ramet.engine.WantedShape;
import dev.ramet.engine.sandboxes.NewSandbox;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.SandboxRules;
import dev.ramet.server.settings.TestHost.Answer;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ApiTest extends ApiGround {
  @ParameterizedTest
  @ValueSource(strings = {"/sandboxes", "/v2/sandboxes"})
  void createsListsAndKills(String base) throws Exception {
    Answer made = host.post(base, "{\"templateID\":\"base:default\",\"secure\":true}");
    assertEquals(201, made.status());
    String id = made.json().path("sandboxID").asText();
    assertEquals("0.6.13", made.json().path("envdVersion").asText());
    assertEquals("running", made.json().path("state").asText());
    assertTrue(made.json().path("metadata").isObject(), "an empty map is kept");
    assertFalse(made.json().has("parentID"), "what is not there is left out");
    assertEquals(512, made.json().path("memoryMB").asInt());
    NewSandbox asked = Objects.requireNonNull(host.engine.sandboxes.last);
    assertNotNull(asked);
    assertEquals(Duration.ofMinutes(5), asked.timeout());

    assertEquals(id, host.get(base).json().path(0).path("sandboxID").asText());
    assertEquals(id, host.get("/sandboxes/" + id).json().path("sandboxID").asText());
    assertEquals(1, host.get("/health").json().path("sandboxes").asInt());
    Answer killed = host.delete("/sandboxes/" + id);
    assertEquals(204, killed.status());
    assertEquals("", killed.response().body());
    Answer again = host.delete("/sandboxes/" + id);
    assertEquals(404, again.status());
    assertEquals(404, again.json().path("code").asInt());
    assertEquals("NOT_FOUND", again.json().path("error").asText());
  }

  @Test
  void passesEveryFieldOfACreation() throws Exception {
    String body =
        """
        {"templateID":"base","timeout":-1,"name":"web-1","metadata":{"a":"1"},"envVars":{"E":"v"},"cpuCount":2,
         "memoryMB":64,"diskSizeMB":2048,"memoryMode":"full","allow_internet_access":false,"autoPause":false,"network":{},"other":[1]}
        """;
    assertEquals(201, host.post("/v2/sandboxes", body).status());
    assertEquals(
        new NewSandbox(
            "base",
            null,
            new Sandbox.Label("web-1", Map.of("a", "1")),
            Map.of("E", "v"),
            new WantedShape(2, 64L << 20, 2L << 30),
            false,
            "full",
            new SandboxRules(SandboxRules.AtEnd.KILL, true, false, true)),
        host.engine.sandboxes.last);
  }

  @Test
  void passesTheRulesOfANetwork() throws Exception {
    String body =
        """
        {"templateID":"base","allow_internet_access":%s,
         "network":{"allowOut":["192.0.2.0/24"],"denyOut":["2001:db8::/32"],"allowPublicTraffic":true}}
        """;
    Answer made = host.post("/sandboxes", body.formatted("true"));
    assertEquals("192.0.2.0/24", made.json().at("/network/allowOut/0").asText());
    assertEquals("2001:db8::/32", made.json().at("/network/denyOut/0").asText());
    NewSandbox asked = Objects.requireNonNull(host.engine.sandboxes.last);
    assertEquals(true, asked.outbound());
    assertEquals(
        new NetworkRules(List.of("192.0.2.0/24"), List.of("2001:db8::/32")),
        asked.rules().network());

    // Only exceptions: the sandbox may open connections, and everything else is denied.
    host.post("/sandboxes", body.formatted("false"));
    NewSandbox closed = Objects.requireNonNull(host.engine.sandboxes.last);
    assertEquals(true, closed.outbound());
    assertEquals(
        new NetworkRules(List.of("192.0.2.0/24"), List.of("0.0.0.0/0")), closed.rules().network());

    String network = "/sandboxes/" + made.json().path("sandboxID").asText() + "/network";
    assertEquals(204, host.put(network, "{\"denyOut\":[\"10.0.0.0/8\"]}").status());
    JsonNode set = host.get(network.replace("/network", "")).json().path("network");
    assertEquals("{\"allowOut\":[],\"denyOut\":[\"10.0.0.0/8\"]}", set.toString());
    assertEquals(204, host.put(network, "{}").status());
    assertTrue(host.get(network.replace("/network", "")).json().path("network").isMissingNode());
    String proxied =
        """
        {"denyOut":["0.0.0.0/0"],"allowOut":["*.Example.org"],
         "egressProxy":{"address":"[::1]:1080","username":"me","password":"secret"}}
        """;
    assertEquals(204, host.put(network, proxied).status());
    assertEquals(
        "{\"allowOut\":[\"*.example.org\"],\"denyOut\":[\"0.0.0.0/0\"],"
            + "\"egressProxy\":{\"address\":\"[::1]:1080\",\"username\":\"me\"}}",
        host.get(network.replace("/network", "")).json().path("network").toString());
    assertEquals(400, host.put(network, "{\"denyOut\":[\"all\"]}").status());
    assertEquals(404, host.put("/sandboxes/inone/network", "{}").status());
  }

  @Test
  void listsInPagesNewestFirst() throws Exception {
    for (int i = 0; i < 5; i++) {
      host.sandbox();
    }
    Set<String> seen = new HashSet<>();
    String token = "";
    int pages = 0;
    Instant before = Instant.MAX;
    while (token != null) {
      Answer page = host.get("/v2/sandboxes?limit=2&nextToken=" + token);
      for (JsonNode entry : page.json()) {
        assertTrue(seen.add(entry.path("sandboxID").asText()));
        Instant started = Instant.parse(entry.path("startedAt").asText());
        assertTrue(started.isBefore(before));
        before = started;
      }
      token = page.header("x-next-token");
      pages++;
    }
    assertEquals(5, seen.size());
    assertEquals(3, pages);
    assertEquals(400, host.get("/sandboxes?limit=0").status());
    assertEquals(400, host.get("/sandboxes?limit=101").status());
    assertEquals(400, host.get("/sandboxes?nextToken=rubbish").status());
  }

  @Test
  void filtersByMetadataAsTheClientsEncodeIt() throws Exception {
    host.post("/sandboxes", "{\"templateID\":\"base\",\"metadata\":{\"k e\":\"v/1&\"}}");
    host.post("/sandboxes", "{\"templateID\":\"base\",\"metadata\":{\"x\":\"100\"}}");
    assertEquals(1, host.get("/v2/sandboxes?metadata=k%252520e%3Dv%25252F1%252526").json().size());
    assertEquals(1, host.get("/sandboxes?metadata=x%3D100").json().size());
    assertEquals(0, host.get("/sandboxes?metadata=x%3D1").json().size());
    assertEquals(2, host.get("/sandboxes?state=running,paused").json().size());
    assertEquals(0, host.get("/sandboxes?state=paused").json().size());
    assertEquals(400, host.get("/sandboxes?state=odd").status());
    assertEquals(400, host.get("/sandboxes?metadata=x%3D%25zz").status());
  }

  @Test
  void keepsADescription() throws Exception {
    String id = host.sandbox();
    Answer made = host.post("/sandboxes/" + id + "/snapshots", "{\"description\":\"all pass\"}");
    String path = "/snapshots/" + made.json().path("snapshotID").asText();
    assertEquals("all pass", host.get(path).json().path("description").asText());
  }

  @Test
  void tellsMetricsAsPrometheusReadsThem() throws Exception {
    Answer answer = host.get("/metrics");
    assertEquals("text/plain; version=0.0.4; charset=utf-8", answer.header("content-type"));
    assertTrue(
        answer
            .response()
            .body()
            .startsWith(
                """
        # HELP ramet_things_total Things\\\\of\\na kind.
        # TYPE ramet_things_total counter
        ramet_things_total{kind="a \\"b\\"\\n"} 3
        ramet_things_total_sum 0.0025
        """));
  }

  @Test
  void connectNeverShortensALife() throws Exception {
    String id = host.sandbox();
    assertEquals(204, host.post("/sandboxes/" + id + "/timeout", "{\"timeout\":1000}").status());
    Instant end = end(id);
    Answer connected = host.post("/v2/sandboxes/" + id + "/connect", "{\"timeout\":10}");
    assertEquals(200, connected.status());
    assertEquals(id, connected.json().path("sandboxID").asText());
    assertEquals(end, end(id));
    assertEquals(200, host.post("/sandboxes/" + id + "/connect", null).status());
    assertEquals(end, end(id));
    host.post("/sandboxes/" + id + "/connect", "{\"timeout\":5000}");
    assertTrue(end(id).isAfter(end.plusSeconds(3900)));
    assertEquals(204, host.post("/sandboxes/" + id + "/refreshes", null).status());
    assertEquals(204, host.post("/sandboxes/" + id + "/timeout", "{\"timeout\":1}").status());
    assertTrue(end(id).isBefore(end));
    assertEquals(204, host.post("/sandboxes/" + id + "/timeout", "{\"timeout\":-1}").status());
    assertFalse(host.get("/sandboxes/" + id).json().has("endAt"));
    assertEquals(404, host.post("/sandboxes/none/connect", "{}").json().path("code").asInt());
  }

  private Instant end(String id) throws Exception {
    return Instant.parse(host.get("/sandboxes/" + id).json().path("endAt").asText());
  }

  @Test
  void buildsTemplates() throws Exception {
    Answer made = host.post("/templates", "{\"recipe\":\"base\",\"name\":\"mine\"}");
    assertEquals(201, made.status());
    assertEquals("mine", made.json().path("names").path(0).asText());
    assertEquals("READY", host.get("/templates/mine").json().path("status").asText());
    assertEquals(2, host.get("/templates").json().size());
    assertEquals("base", host.get("/templates/recipes").json().path(0).asText());
    assertEquals(204, host.delete("/templates/mine").status());
    Answer imported =
        host.post(
            "/templates/import",
            "{\"name\":\"i\",\"kernel\":\"/proc/version\",\"rootfs\":\"/proc/version\"}");
    assertEquals(201, imported.status());
    assertEquals(512, imported.json().path("memoryMB").asInt());
    Answer ofImage =
        host.post("/templates/image", "{\"name\":\"web\",\"image\":\"/proc/version\"}");
    assertEquals(201, ofImage.status());
    assertEquals("web", ofImage.json().path("names").path(0).asText());
  }

  @Test
  void tellsADoctorsReport() throws Exception {
    Answer report = host.get("/doctor?refresh=true");
    assertEquals("true", report.json().path("host").path("refreshed").asText());
    assertEquals("DEGRADED", report.json().path("verdict").asText());
    assertFalse(report.json().path("selections").path(0).has("chosen"));
    assertTrue(report.json().path("advice").isArray());
  }
}
