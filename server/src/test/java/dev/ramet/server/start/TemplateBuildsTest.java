// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.engine.templates.BuildStep;
import dev.ramet.engine.templates.DerivedTemplate;
import dev.ramet.engine.templates.StartCommands;
import dev.ramet.server.settings.TestHost;
import dev.ramet.server.settings.TestHost.Answer;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Tests template builds in the E2B protocol. */
class TemplateBuildsTest {
  @AutoClose private final TestHost host = new TestHost(Map.of());

  @Test
  void stepsAreDoneAndTold() throws Exception {
    Announced build = Announced.on(host, "made");
    assertEquals("waiting", host.get(build.status()).json().path("status").asText());
    Answer started =
        host.post(
            build.start(),
            """
            {"fromTemplate":"base","force":false,"startCmd":"serve","readyCmd":"ready","steps":[
              {"type":"RUN","args":["echo a"],"force":false},
              {"type":"RUN","args":["echo b","root"]},
              {"type":"ENV","args":["A","1","B","$A"]},
              {"type":"WORKDIR","args":["/srv"]},
              {"type":"USER","args":["user"]}]}
            """);
    assertEquals(202, started.status(), started.response().body());
    assertEquals("0", started.header("content-length"));
    JsonNode status = build.end(host);
    assertEquals("ready", status.path("status").asText(), status.toString());
    DerivedTemplate asked = host.engine.templates.derived.get(0);
    assertEquals(
        new DerivedTemplate(
            build.template(),
            "made",
            List.of("default"),
            "base",
            2,
            null,
            List.of(
                new BuildStep.Run("echo a", null),
                new BuildStep.Run("echo b", "root"),
                new BuildStep.Environment(Map.of("A", "1", "B", "$A")),
                new BuildStep.Workdir("/srv"),
                new BuildStep.User("user")),
            new StartCommands("serve", "ready")),
        asked);
    JsonNode entries = status.path("logEntries");
    assertEquals("said by echo a", entries.path(2).path("message").asText(), entries.toString());
    assertEquals("1", entries.path(2).path("step").asText());
    assertEquals("info", entries.path(2).path("level").asText());
    Instant.parse(entries.path(2).path("timestamp").asText());
    int all = entries.size();
    JsonNode rest = host.get(build.status() + "?logsOffset=" + (all - 1)).json();
    assertEquals(entries.path(all - 1), rest.path("logEntries").path(0));
    assertEquals(
        0, host.get(build.status() + "?logsOffset=" + all).json().path("logEntries").size());
    assertEquals(200, host.get("/templates/aliases/made").status());
    assertEquals(
        build.template(), host.get("/templates/aliases/made").json().path("templateID").asText());
    assertEquals("default", host.get("/templates/made/tags").json().path(0).path("tag").asText());
    assertEquals(409, host.post(build.start(), "{\"fromTemplate\":\"base\"}").status());
  }

  @Test
  void aStepThatFailsIsNamed() throws Exception {
    Announced build = Announced.on(host, "made");
    host.post(
        build.start(),
        "{\"fromTemplate\":\"base\",\"steps\":[{\"type\":\"RUN\",\"args\":[\"true\"]},"
            + "{\"type\":\"RUN\",\"args\":[\"false\"]}]}");
    JsonNode status = build.end(host);
    assertEquals("error", status.path("status").asText());
    assertEquals("exit status 1", status.path("reason").path("message").asText());
    assertEquals("2", status.path("reason").path("step").asText());
    assertEquals(
        "said by false", status.path("reason").path("logEntries").path(1).path("message").asText());
    assertEquals(404, host.get("/templates/aliases/made").status());
    Announced lost = Announced.on(host, "lost");
    host.post(lost.start(), "{\"fromTemplate\":\"none\"}");
    assertEquals("base", lost.end(host).path("reason").path("step").asText());
  }

  @Test
  void aBuildCanBeCancelled() throws Exception {
    Announced build = Announced.on(host, "made");
    host.post(
        build.start(),
        "{\"fromTemplate\":\"base\",\"steps\":[{\"type\":\"RUN\",\"args\":[\"sleep\"]}]}");
    JsonNode running = host.get("/operations?kind=template.derive").json().path(0);
    assertTrue(running.path("cancellable").asBoolean(), running.toString());
    assertFalse(running.path("step").asText().contains("sleep"), running.toString());
    assertEquals(202, host.delete("/operations/" + running.path("operationID").asText()).status());
    JsonNode status = build.end(host);
    assertEquals("error", status.path("status").asText());
    assertTrue(status.path("reason").path("message").asText().contains("cancelled"));
  }

  @Test
  void imagesAreTemplatesOrRefused() throws Exception {
    host.engine.templates.add("python-3.12", 1, 512L << 20, null);
    host.engine.templates.add("node:22", 1, 512L << 20, null);
    for (String image : List.of("e2bdev/base", "base", "python:3.12", "node:22")) {
      Announced build = Announced.on(host, "made");
      String body = "{\"fromImage\":\"" + image + "\"}";
      assertEquals(202, host.post(build.start(), body).status(), image);
      assertEquals("ready", build.end(host).path("status").asText());
    }
    Answer answer =
        host.post(
            Announced.on(host, "made").start(), "{\"fromImage\":\"registry.example.org/a/b:1\"}");
    assertEquals(400, answer.status());
    assertTrue(answer.json().path("message").asText().contains("ramet template build --oci"));
  }

  @Test
  void anAnnouncementIsRepeatable() throws Exception {
    String body = "{\"name\":\"made\"}";
    Answer first = host.send("POST", "/v3/templates", body, "Idempotency-Key", "k");
    Answer second = host.send("POST", "/v3/templates", body, "Idempotency-Key", "k");
    assertEquals(202, second.status());
    assertEquals(first.json(), second.json());
  }
}
