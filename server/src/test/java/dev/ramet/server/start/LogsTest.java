// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.engine.sandboxes.ProgramOutput;
import dev.ramet.server.settings.TestHost;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the logs and measurements of sandboxes. */
final class LogsTest {
  private static final Instant WRITTEN = Instant.parse("2026-01-02T03:04:05Z");

  @AutoClose private final TestHost host = new TestHost(Map.of());
  @TempDir private Path folder;
  private String id = "";

  @BeforeEach
  void sandbox() throws Exception {
    id = host.sandbox();
    host.engine.sandboxes.console = folder.resolve("console.log");
    console("kernel\r\nagent: ready\nlogin: ");
    byte[] output = "one\ntwo\n".getBytes(StandardCharsets.UTF_8);
    host.engine.sandboxes.output = new ProgramOutput(output, 1000);
  }

  private void console(String text) throws Exception {
    Files.writeString(host.engine.sandboxes.console, text);
    Files.setLastModifiedTime(host.engine.sandboxes.console, FileTime.from(WRITTEN));
  }

  private List<String> messages(String query) throws Exception {
    JsonNode logs = host.get("/sandboxes/" + id + "/logs" + query).json();
    List<String> messages = new ArrayList<>();
    logs.path("logEntries").forEach(line -> messages.add(line.path("message").asText()));
    List<String> old = new ArrayList<>();
    logs.path("logs").forEach(line -> old.add(line.path("line").asText()));
    assertEquals(messages, old, "both formats have the same lines");
    return messages;
  }

  @Test
  void theConsoleAndTheProgramsOutputAreThere() throws Exception {
    assertEquals(List.of("kernel", "agent: ready", "login: ", "one", "two"), messages(""));
    assertEquals(List.of("kernel", "login: "), messages("?source=console"));
    assertEquals(List.of("agent: ready"), messages("?source=agent"));
    assertEquals(List.of("one", "two"), messages("?source=container"));
    assertEquals(List.of("two"), messages("?source=container&limit=1"));
  }

  @Test
  void eachLineSaysItsSourcePositionAndWhetherItIsWhole() throws Exception {
    JsonNode logs = host.get("/sandboxes/" + id + "/logs").json().path("logEntries");
    assertEquals(
        Map.of("source", "console", "end", "8"),
        new com.fasterxml.jackson.databind.ObjectMapper()
            .convertValue(logs.path(0).path("fields"), Map.class));
    assertEquals("true", logs.path(2).path("fields").path("partial").asText());
    assertEquals("1000", logs.path(4).path("fields").path("end").asText());
  }

  @Test
  void aLineHasTheTimeAtWhichItWasFound() throws Exception {
    assertEquals(
        List.of("kernel", "login: "), messages("?source=console&since=2026-01-02T03:04:05Z"));
    assertEquals(List.of(), messages("?source=console&since=2026-01-02T03:04:06Z"));
    Files.writeString(host.engine.sandboxes.console, "kernel\r\nagent: ready\nlogin: root\nmore\n");
    assertEquals(
        List.of("login: root", "more"), messages("?source=console&since=2026-01-02T03:04:06Z"));
  }

  @Test
  void aSandboxThatDoesNotRunHasItsConsoleOnly() throws Exception {
    host.engine.sandboxes.pause(id, true);
    assertEquals(List.of("kernel", "agent: ready", "login: "), messages(""));
    assertEquals(409, host.get("/sandboxes/" + id + "/logs?source=container").status());
  }

  @Test
  void nonsenseIsRefused() throws Exception {
    for (String query : new String[] {"?source=x", "?since=yesterday", "?limit=1001"}) {
      assertEquals(400, host.get("/sandboxes/" + id + "/logs" + query).status(), query);
    }
  }

  @Test
  void measurementsOfAllSandboxesOrOne() throws Exception {
    String other = host.sandbox();
    host.engine.sandboxes.pause(other, true);
    JsonNode all = host.get("/sandboxes/stats").json();
    assertEquals(2, all.size());
    JsonNode one = host.get("/sandboxes/stats?sandboxID=" + id).json().path(0);
    assertEquals("running", one.path("state").asText());
    assertEquals(1.5, one.path("usage").path("cpuSeconds").asDouble());
    assertEquals(1, one.path("usage").path("memoryOwnBytes").asLong());
    assertEquals(4, one.path("usage").path("diskWrittenBytes").asLong());
    JsonNode paused = host.get("/sandboxes/stats?sandboxID=" + other).json().path(0);
    assertEquals("paused", paused.path("state").asText());
    assertNull(paused.get("usage"));
    assertEquals(404, host.get("/sandboxes/stats?sandboxID=nothing").status());
  }
}
