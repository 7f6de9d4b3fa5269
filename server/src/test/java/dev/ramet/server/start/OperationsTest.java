// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ramet.server.settings.TestHost;
import dev.ramet.server.settings.TestHost.Answer;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that operations can be listed, followed and cancelled. */
class OperationsTest {
  private final TestHost host = new TestHost(Map.of());

  @AfterEach
  void close() {
    host.engine.templates.slow.countDown();
    host.close();
  }

  private Answer begin() throws Exception {
    Answer begun =
        host.send("POST", "/templates", "{\"recipe\":\"slow\"}", "Prefer", "respond-async, wait=1");
    assertEquals(202, begun.status(), begun.response().body());
    return begun;
  }

  private JsonNode await(String path, String state) throws Exception {
    JsonNode info = host.get(path).json();
    for (int i = 0; i < 1000 && !info.path("state").asText().equals(state); i++) {
      Thread.sleep(10);
      info = host.get(path).json();
    }
    assertEquals(state, info.path("state").asText(), info.toString());
    return info;
  }

  @Test
  void everyChangeIsAnOperation() throws Exception {
    String id = host.sandbox();
    host.post("/sandboxes/" + id + "/snapshots", "{\"name\":\"s\"}");
    Answer rolled = host.post("/sandboxes/" + id + "/rollback", "{\"snapshotID\":\"s\"}");
    host.post("/sandboxes/" + id + "/clone", "{\"count\":2}");
    host.post("/sandboxes/" + id + "/pause", "{}");
    host.post("/sandboxes/" + id + "/rollback", "{\"snapshotID\":\"none\"}");
    host.delete("/sandboxes/" + id);
    JsonNode all = host.get("/operations").json();
    assertEquals(
        List.of(
            "sandbox.kill",
            "sandbox.rollback",
            "sandbox.pause",
            "sandbox.clone",
            "sandbox.rollback",
            "snapshot.create",
            "sandbox.create"),
        all.valueStream().map(o -> o.path("kind").asText()).toList());
    assertEquals("failed", all.path(1).path("state").asText());
    assertEquals(404, all.path(1).path("error").path("code").asInt());
    assertEquals(2, all.path(3).path("results").size());
    assertEquals(id, all.path(3).path("subject").asText());
    String operation = rolled.json().path("operationID").asText();
    assertEquals(operation, all.path(4).path("operationID").asText());
    assertEquals("done", host.get("/operations/" + operation).json().path("state").asText());
    assertEquals(1, host.get("/operations?state=failed").json().size());
    assertEquals(2, host.get("/operations?kind=sandbox.rollback").json().size());
    assertEquals(1, host.get("/operations?limit=1").json().size());
    assertEquals(400, host.get("/operations?state=odd").status());
    assertEquals(400, host.get("/operations?limit=0").status());
    assertEquals(404, host.get("/operations/none").status());
    assertEquals(409, host.delete("/operations/" + operation).status());
    String metrics = host.get("/metrics").response().body();
    assertTrue(
        Stream.of("kind=\"sandbox.rollback\"", "outcome=\"NOT_FOUND\"").allMatch(metrics::contains),
        metrics);
  }

  @Test
  void aLongOneIsAnsweredAtOnceIfWished() throws Exception {
    Answer begun = begin();
    String path = begun.header("location");
    assertNotNull(path);
    assertEquals("respond-async", begun.header("preference-applied"));
    assertEquals("running", begun.json().path("state").asText());
    assertTrue(begun.json().path("cancellable").asBoolean());
    host.engine.templates.slow.countDown();
    JsonNode done = await(path, "done");
    assertEquals("tpl-slow", done.path("results").path(0).asText());
    assertEquals("capture", done.path("step").asText());
    assertFalse(done.path("cancellable").asBoolean());
  }

  @Test
  void aLongOneCanBeCancelled() throws Exception {
    String path = begin().header("location");
    Answer asked = host.delete("" + path);
    assertEquals(202, asked.status(), asked.response().body());
    host.engine.templates.slow.countDown();
    JsonNode ended = await("" + path, "cancelled");
    assertEquals("CANCELLED", ended.path("error").path("error").asText());
    assertFalse(host.engine.templates.byName.containsKey("slow"));
    assertEquals(409, host.delete("" + path).status());
  }

  @Test
  void eventsTellHowItGoesOn() throws Exception {
    String path = begin().header("location");
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + host.port() + path + "/events"))
            .header("Accept", "text/event-stream")
            .build();
    HttpResponse<Stream<String>> events = host.client.send(request, BodyHandlers.ofLines());
    assertEquals(200, events.statusCode());
    assertEquals("text/event-stream", events.headers().firstValue("content-type").orElseThrow());
    host.engine.templates.slow.countDown();
    List<String> lines = events.body().toList();
    assertEquals("event: progress", lines.get(0));
    int end = lines.indexOf("event: end");
    assertTrue(end > 0, lines.toString());
    JsonNode last = new ObjectMapper().readTree(lines.get(end + 1).substring("data: ".length()));
    assertEquals("done", last.path("state").asText());
    assertEquals(404, host.get("/operations/none/events").status());
  }
}
