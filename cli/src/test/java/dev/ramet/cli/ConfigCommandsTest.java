// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ramet.cli.FakeHost.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigCommandsTest {
  private static final String KEY = "e2b_0123456789abcdef";

  @TempDir private Path directory;
  private Path file = Path.of("");
  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void write() throws IOException {
    file = directory.resolve("ramet.yaml");
    Files.writeString(
        file,
        "ramet:\n  port: 4000\n  data-root: "
            + directory
            + "\n  plugin:\n    acme:\n      password: hunter2\n");
    environment.put("RAMET_CONFIG", file.toString());
  }

  private Outcome run(String... args) {
    return FakeHost.run(environment, new byte[0], args);
  }

  private static JsonNode setting(JsonNode shown, String key) {
    for (JsonNode one : shown.path("settings")) {
      if (one.path("key").asText().equals(key)) {
        return one;
      }
    }
    throw new AssertionError(key);
  }

  @Test
  void showsEachValueWithItsSource() throws Exception {
    environment.put("RAMET_ENGINE_WAIT", "5s");
    environment.put("RAMET_API_KEY", KEY);
    Outcome table = run("config", "show", "--set", "ramet.outbound=true");
    assertEquals(0, table.status(), table.err());
    assertTrue(
        table.out().matches("(?s).*ramet.port +4000 +\\Q" + file + "\\E:2\n.*"), table.out());
    assertTrue(
        table.out().matches("(?s).*engine-wait +5s +environment variable RAMET_ENGINE_WAIT\n.*"));
    assertTrue(table.out().matches("(?s).*ramet.outbound +true +option for ramet.outbound\n.*"));
    assertTrue(table.out().matches("(?s).*ramet.bind +127.0.0.1 +default\n.*"), table.out());
    JsonNode json =
        new ObjectMapper().readTree(run("config", "show", "--port", "4001", "--json").out());
    assertEquals(file.toString(), json.path("file").asText());
    assertEquals("4001", setting(json, "ramet.port").path("value").asText());
    assertEquals("flag", setting(json, "ramet.port").at("/source/kind").asText());
    assertEquals(3, setting(json, "ramet.data-root").at("/source/line").asInt());
    assertEquals(
        "RAMET_ENGINE_WAIT", setting(json, "ramet.engine-wait").at("/source/name").asText());
    assertTrue(setting(json, "RAMET_API_KEY").path("set").asBoolean());
  }

  @Test
  void neverShowsSecrets() {
    environment.put("RAMET_API_KEY", KEY);
    for (Outcome outcome :
        new Outcome[] {
          run("config", "show"), run("config", "show", "--json"), run("config", "check")
        }) {
      assertFalse((outcome.out() + outcome.err()).contains(KEY), outcome.out());
      assertFalse((outcome.out() + outcome.err()).contains("hunter2"), outcome.out());
    }
  }

  @Test
  void checksWithoutStarting() throws Exception {
    Outcome good = run("config", "check");
    assertEquals(0, good.status(), good.err());
    assertTrue(good.out().contains(file.toString()), good.out());
    Files.writeString(file, "ramet:\n  prot: 1\n  outbound: maybe\n");
    Outcome bad = run("config", "check", "--set", "ramet.auth=NO");
    assertEquals(2, bad.status());
    assertEquals(3, bad.err().lines().count(), bad.err());
    assertTrue(
        bad.err().contains(file + ":2: ramet.prot: no such setting; did you mean ramet.port"));
    assertTrue(bad.err().contains(file + ":3: ramet.outbound: must be true or false, not maybe"));
    assertEquals(2, run("config", "show").status());
    Outcome absent = run("config", "check", "--config", directory.resolve("no.yaml").toString());
    assertEquals(2, absent.status());
    assertTrue(absent.err().contains("does not exist"), absent.err());
  }

  @Test
  void otherCommandsUseTheDataRootOfTheFile() {
    assertEquals(0, run("key", "create", "ci").status());
    assertTrue(Files.exists(directory.resolve("api-keys.json")));
  }

  @Test
  void otherCommandsRefuseWrongSettings() throws Exception {
    Files.writeString(file, "ramet:\n  dataroot: /elsewhere\n");
    Outcome refused = run("key", "create", "ci");
    assertEquals(2, refused.status());
    assertTrue(refused.err().contains("did you mean ramet.data-root"), refused.err());
  }
}
