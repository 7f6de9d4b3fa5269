// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.engine.templates.BuildLog;
import dev.ramet.engine.templates.DerivedTemplate;
import dev.ramet.engine.templates.StartCommands;
import dev.ramet.server.settings.TestHost;
import dev.ramet.server.settings.TestHost.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which template builds a restarted host still knows. */
class BuildsAfterRestartTest {
  private static final String STEPS =
      """
      {"fromTemplate":"base","steps":[{"type":"RUN","args":["%s"]}]}
      """;

  @TempDir Path data;
  private TestHost host;

  @BeforeEach
  void open() {
    host = new TestHost(Map.of("ramet.data-root", data.toString()));
  }

  @AfterEach
  void close() {
    host.close();
  }

  private void restart() {
    host.close();
    open();
  }

  private JsonNode start(Announced build, String command) throws Exception {
    Answer started = host.post(build.start(), STEPS.formatted(command));
    assertEquals(202, started.status(), started.response().body());
    return build.end(host);
  }

  @Test
  void oneThatWasAnnouncedWaitsForItsSteps() throws Exception {
    Announced build = Announced.on(host, "later:v2");
    restart();
    assertEquals("waiting", host.get(build.status()).json().path("status").asText());
    assertEquals(201, host.get(build.files("0".repeat(64))).status());
    assertEquals("ready", start(build, "echo").path("status").asText());
    DerivedTemplate asked = host.engine.templates.derived.get(0);
    assertEquals(build.template(), asked.id());
    assertEquals("later", asked.name());
    assertEquals(List.of("v2"), asked.tags());
    assertEquals(2, asked.cpuCount());
  }

  @Test
  void oneThatFailedTellsWhy() throws Exception {
    Announced build = Announced.on(host, "broken");
    JsonNode before = start(build, "false");
    assertEquals("error", before.path("status").asText());
    restart();
    JsonNode after = host.get(build.status()).json();
    assertEquals("error", after.path("status").asText());
    assertEquals(before.path("reason"), after.path("reason"));
    assertEquals(409, host.post(build.start(), STEPS.formatted("echo")).status());
    assertEquals(
        "rw-------",
        PosixFilePermissions.toString(
            Files.getPosixFilePermissions(data.resolve("template-builds.json"))));
  }

  @Test
  void oneThatSucceededIsReady() throws Exception {
    Announced build = Announced.on(host, "made");
    assertEquals("ready", start(build, "echo").path("status").asText());
    restart();
    assertEquals("ready", host.get(build.status()).json().path("status").asText());
  }

  /** Leaves the state of a host that was killed during a build. */
  private void leaveUnderWay() throws Exception {
    Path file = data.resolve("template-builds.json");
    host.close();
    String left = Files.readString(file);
    assertTrue(left.contains("\"waiting\""), left);
    Files.writeString(file, left.replace("\"waiting\"", "\"building\""));
    open();
  }

  @Test
  void oneThatWasUnderWayHasFailedUnlessItsTemplateIsThere() throws Exception {
    Announced build = Announced.on(host, "half");
    leaveUnderWay();
    JsonNode status = host.get(build.status()).json();
    assertEquals("error", status.path("status").asText(), status.toString());
    String why = status.path("reason").path("message").asText();
    assertTrue(why.contains("build again"), why);
    assertEquals(409, host.post(build.start(), STEPS.formatted("echo")).status());
    restart();
    assertEquals(status.path("reason"), host.get(build.status()).json().path("reason"));
  }

  @Test
  void oneWhoseTemplateWasPublishedIsReady() throws Exception {
    Announced build = Announced.on(host, "whole");
    leaveUnderWay();
    host.engine.templates.derive(
        new DerivedTemplate(
            build.template(),
            "whole",
            List.of("default"),
            "base",
            null,
            null,
            List.of(),
            new StartCommands(null, null)),
        new Silent());
    assertEquals("ready", host.get(build.status()).json().path("status").asText());
  }

  private static final class Silent implements BuildLog {
    @Override
    public void stepReached(int number) {}

    @Override
    public void step(String description) {}

    @Override
    public void output(boolean error, String line) {}

    @Override
    public void heartbeat() {}
  }

  @Test
  void aFileThatCannotBeUnderstoodIsNoObstacle() throws Exception {
    Announced lost = Announced.on(host, "lost");
    host.close();
    Files.writeString(data.resolve("template-builds.json"), "{\"version\":7");
    open();
    assertEquals(404, host.get(lost.status()).status());
    assertEquals("ready", start(Announced.on(host, "next"), "echo").path("status").asText());
  }
}
