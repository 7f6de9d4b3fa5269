// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.egress.rule.NetworkRules;
import dev.ramet.engine.WantedShape;
import dev.ramet.engine.sandboxes.NewSandbox;
import dev.ramet.engine.sandboxes.SandboxRules;
import dev.ramet.engine.snapshots.NewSnapshot;
import dev.ramet.server.settings.TestHost;
import dev.ramet.server.settings.TestHost.Answer;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApiTest {
  private TestHost host = new TestHost(Map.of());

  @BeforeEach
  void ready() throws Exception {
    assertEquals("ok", host.get("/health").json().path("status").asText());
  }

  @AfterEach
  void close() {
    host.close();
  }

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
        {"templateID":"base","timeout":-1,"metadata":{"a":"1"},"envVars":{"E":"v"},"cpuCount":2,
         "memoryMB":64,"diskSizeMB":2048,"memoryMode":"full","allow_internet_access":false,"autoPause":false,"network":{},"other":[1]}
        """;
    assertEquals(201, host.post("/v2/sandboxes", body).status());
    assertEquals(
        new NewSandbox(
            "base",
            null,
            Map.of("a", "1"),
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
  void aSnapshotNeedNotBeWaitedForAndItsReadersWaitUnlessAskedNotTo() throws Exception {
    String id = host.sandbox();
    host.engine.snapshots.awaited.clear();
    Answer made = host.post("/sandboxes/" + id + "/snapshots?wait=false", "{\"name\":\"late\"}");
    assertEquals(202, made.status());
    assertEquals("WRITING", made.json().path("status").asText());
    assertEquals(200, host.get("/snapshots/late").status());
    assertEquals(List.of(), host.engine.snapshots.awaited);
    assertEquals(200, host.get("/snapshots/late?wait=true&timeout=1").status());
    String rollback = "/sandboxes/" + id + "/rollback";
    assertEquals(200, host.post(rollback, "{\"snapshotID\":\"late\"}").status());
    assertEquals(201, host.post("/snapshots/late/fork", "{}").status());
    host.post("/sandboxes", "{\"templateID\":\"late\"}");
    assertEquals(List.of("late", "late", "late", "late"), host.engine.snapshots.awaited);
    assertEquals(200, host.post(rollback + "?wait=false", "{\"snapshotID\":\"late\"}").status());
    assertEquals(201, host.post("/snapshots/late/fork?wait=false", "{}").status());
    assertEquals(204, host.delete("/snapshots/late?wait=false").status());
    assertEquals(4, host.engine.snapshots.awaited.size());
    assertEquals(400, host.get("/snapshots/late?wait=perhaps").status());
    assertEquals(400, host.get("/snapshots/late?wait=true&timeout=-1").status());
  }

  @Test
  void comparesTwoSnapshots() throws Exception {
    String id = host.sandbox();
    host.post("/sandboxes/" + id + "/snapshots", "{\"name\":\"a\"}");
    host.post("/sandboxes/" + id + "/snapshots", "{\"name\":\"b\"}");
    JsonNode diff = host.get("/snapshots/a/diff/b").json();
    assertEquals(2, diff.path("disk").path("differingPages").asInt());
    assertEquals(4096, diff.path("disk").path("ranges").path(0).path("offset").asInt());
    assertTrue(diff.path("memory").isMissingNode());
    assertEquals(0, host.get("/snapshots/a/diff/b?limit=0").json().at("/disk/ranges").size());
    assertEquals(404, host.get("/snapshots/a/diff/c").status());
    assertEquals(400, host.get("/snapshots/a/diff/b?limit=-1").status());
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
  void answersWithTheLastSnapshotIfNothingChanged() throws Exception {
    String path = "/sandboxes/" + host.sandbox() + "/snapshots";
    assertEquals(201, host.post(path, "{\"ifChanged\":true}").status());
    Answer changed = host.post(path, "{\"ifChanged\":true}");
    assertEquals(201, changed.status());
    host.engine.snapshots.changed = false;
    Answer same = host.post(path, "{\"ifChanged\":true}");
    assertEquals(200, same.status());
    assertEquals(
        changed.json().path("snapshotID").asText(), same.json().path("snapshotID").asText());
    assertEquals(200, host.post(path + "?wait=false", "{\"ifChanged\":true}").status());
    assertEquals(201, host.post(path, "{\"ifChanged\":false}").status());
    assertEquals(400, host.post(path, "{\"ifChanged\":true,\"name\":\"x\"}").status());
    assertEquals(400, host.post(path, "{\"ifChanged\":true,\"description\":\"x\"}").status());
    assertEquals(404, host.post("/sandboxes/none/snapshots", "{\"ifChanged\":true}").status());
  }

  @Test
  void takesAndDeletesSnapshots() throws Exception {
    String id = host.sandbox();
    Answer made = host.post("/sandboxes/" + id + "/snapshots", "{\"name\":\"one\"}");
    assertEquals(201, made.status());
    assertEquals("one", made.json().path("names").path(0).asText());
    assertEquals(1.25, made.json().path("capture").path("pauseMs").asDouble());
    assertEquals(0.25, made.json().path("capture").path("phasesMs").path("disk").asDouble());
    assertTrue(made.json().path("usedBy").isArray());
    String snapshot = made.json().path("snapshotID").asText();
    assertEquals(
        201,
        host.post("/sandboxes/" + id + "/snapshots", "{\"memoryMode\":\"incremental\"}").status());
    assertEquals(NewSnapshot.of(id, null).by("incremental"), host.engine.snapshots.last);
    assertEquals(201, host.post("/sandboxes/" + id + "/snapshots", "{\"verify\":true}").status());
    assertEquals(NewSnapshot.of(id, null).verified(), host.engine.snapshots.last);
    JsonNode capture = made.json().path("capture");
    assertEquals(0.25, capture.path("pausePhasesMs").path("stop").asDouble());
    assertEquals("base-gone", capture.path("passedOver").path(0).path("cause").asText());
    assertEquals(2, capture.path("precopyRounds").asInt());
    assertEquals("in-place", capture.path("replaced").path("memoryVolume").asText());
    host.post("/sandboxes/" + id + "/snapshots", "{\"replaces\":\"snap0\"}");
    assertEquals("snap0", Objects.requireNonNull(host.engine.snapshots.last).replaces());
    String both = "{\"replaces\":\"snap0\",\"ifChanged\":true}";
    assertEquals(400, host.post("/sandboxes/" + id + "/snapshots", both).status());
    Answer second = host.post("/sandboxes/" + id + "/snapshots", "{\"name\":\"one:v2\"}");
    assertEquals(201, second.status());
    assertEquals("one", second.json().path("names").path(0).asText());
    assertEquals("v2", second.json().path("tags").path(0).asText());
    assertEquals(5, host.get("/snapshots?sandboxID=" + id).json().size());
    assertEquals(0, host.get("/snapshots?sandboxID=other").json().size());
    assertEquals(2, host.get("/snapshots?name=one").json().size());
    assertEquals(1, host.get("/snapshots?name=one:default").json().size());
    assertEquals(second.json(), host.get("/snapshots?name=one:v2").json().path(0));
    assertEquals(0, host.get("/snapshots?name=one:v3").json().size());
    assertEquals(1, host.get("/snapshots?name=" + snapshot).json().size());
    assertEquals(second.json(), host.get("/snapshots/one:v2").json());
    assertEquals(404, host.get("/snapshots/one:v3").status());
    assertEquals(id, host.get("/snapshots/one").json().path("originSandboxID").asText());

    Answer rolled = host.post("/sandboxes/" + id + "/rollback", "{\"snapshotID\":\"one\"}");
    assertEquals(200, rolled.status());
    assertEquals("READY", rolled.json().path("status").asText());
    assertEquals(snapshot, rolled.json().path("snapshotID").asText());
    assertEquals(12.346, rolled.json().path("totalMs").asDouble());
    Answer missing = host.post("/sandboxes/" + id + "/rollback", "{\"snapshotID\":\"nope\"}");
    assertEquals(404, missing.status());
    assertTrue(missing.json().path("message").asText().contains("not found"));

    Answer forked = host.post("/snapshots/one/fork", "{\"memoryMB\":128}");
    assertEquals(201, forked.status());
    assertEquals(snapshot, forked.json().path("templateID").asText());
    assertEquals(201, host.post("/snapshots/one/fork", "{\"diskSizeMB\":128}").status());
    assertEquals(128L << 20, Objects.requireNonNull(host.engine.sandboxes.last).diskBytes());
    assertEquals(400, host.post("/snapshots/one/fork", "{\"diskSizeMB\":1}").status());

    assertEquals(204, host.delete("/templates/one%3Adefault").status());
    assertEquals(404, host.get("/snapshots/one").status());
    assertEquals(204, host.delete("/templates/one").status());
    assertEquals(404, host.delete("/templates/one").json().path("code").asInt());
    host.post("/sandboxes/" + id + "/snapshots", "{\"name\":\"used\"}");
    assertEquals(409, host.delete("/snapshots/used?strict=true").status());
    assertEquals(204, host.delete("/snapshots/used").status());
    Answer slash = host.delete("/templates/team%2Fname%3Atag");
    assertEquals(404, slash.json().path("code").asInt());
    assertTrue(slash.json().path("message").asText().contains("team/name:tag"));
  }

  @Test
  void clonesAndForks() throws Exception {
    String id = host.sandbox();
    Answer cloned = host.post("/sandboxes/" + id + "/clone", "{\"count\":3}");
    assertEquals(201, cloned.status());
    assertEquals(3, cloned.json().path("sandboxes").size());
    assertEquals(id, cloned.json().path("sandboxes").path(0).path("parentID").asText());
    assertEquals("full", cloned.json().path("capture").path("mode").asText());
    Answer forked = host.post("/sandboxes/" + id + "/fork", "{\"count\":2}");
    assertEquals(201, forked.status());
    assertTrue(forked.json().path(0).path("sandbox").has("sandboxID"));
    assertFalse(forked.json().path(0).has("error"));
    assertEquals(503, forked.json().path(1).path("error").path("code").asInt());
    assertNotNull(host.engine.sandboxes.lastClone);
    assertEquals(Duration.ofSeconds(15), host.engine.sandboxes.lastClone.timeout());
    assertNull(host.engine.sandboxes.lastClone.concurrency());
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
