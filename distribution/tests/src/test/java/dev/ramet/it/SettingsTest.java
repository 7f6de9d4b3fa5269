// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the settings of the installed host: their precedence, and that nothing starts with wrong
 * ones.
 */
@Timeout(900)
final class SettingsTest {
  @TempDir private Path directory;

  private Path write(String yaml) throws IOException {
    Path file = directory.resolve("ramet.yaml");
    Files.writeString(file, yaml);
    return file;
  }

  @Test
  void environmentGoesBeforeFileAndOptionsBeforeBoth() throws Exception {
    Path file =
        write(
            """
            ramet:
              port: 1
              auth: ON
              engine-wait: 29s
              storage-provision: OFF
            micronaut.server.max-request-size: 100
            """);
    Map<String, String> settings =
        Map.of("RAMET_CONFIG", file.toString(), "RAMET_AUTH", "on", "RAMET_ENGINE_WAIT", "28s");
    try (Installed host =
        Installed.serve(directory.resolve("data"), settings, "--set", "ramet.auth=off")) {
      // It listens on the port from the environment, and needs no key because of the option.
      assertEquals(200, host.request("GET", "/v2/sandboxes", null));
      // A setting that is only in the file is in force too.
      byte[] large = ("{\"templateID\":\"" + "x".repeat(100) + "\"}").getBytes(UTF_8);
      assertEquals(413, host.request("POST", "/sandboxes", large));

      Installed.Run shown = host.run("config", "show", "--json");
      assertEquals(0, shown.status(), shown.err());
      JsonNode tree = new ObjectMapper().readTree(shown.out());
      assertEquals("28s environment", shown(tree, "ramet.engine-wait"));
      assertEquals("OFF file", shown(tree, "ramet.storage-provision"));
      assertEquals("60s default", shown(tree, "ramet.start-timeout"));
      // Some defaults depend on the installation directory.
      Path layout = Path.of(System.getProperty("ramet.guest")).resolve("../..").toRealPath();
      assertEquals(layout.resolve("plugins") + " default", shown(tree, "ramet.plugins-dir"));
    }
  }

  private static String shown(JsonNode tree, String key) {
    for (JsonNode one : tree.path("settings")) {
      if (one.path("key").asText().equals(key)) {
        return one.path("value").asText() + " " + one.at("/source/kind").asText();
      }
    }
    throw new AssertionError(key);
  }

  @Test
  void wrongSettingsStartNothingAndAreToldAllAtOnce() throws Exception {
    Path data = directory.resolve("data");
    Path file =
        write(
            "ramet:\n  prot: 1\n  auth: OFF\n  bind: 192.0.2.1\n  data-root: "
                + data
                + "\n  plugin: { acme: { password: hunter2 } }\n  outbound: hunter3\n");
    Map<String, String> environment = Map.of("RAMET_API_KEY", "hunter4", "RAMET_PORT", "x");
    for (String command : new String[] {"serve", "config check", "config show"}) {
      List<String> arguments = new ArrayList<>(List.of(command.split(" ", -1)));
      arguments.addAll(List.of("--config", file.toString()));
      Installed.Run run = Installed.alone(environment, arguments);
      assertEquals(2, run.status(), run.err());
      String all = run.out() + run.err();
      assertTrue(all.contains(file + ":2: ramet.prot: no such setting; did you mean ramet.port"));
      assertTrue(
          all.contains(file + ":7: ramet.outbound: must be true or false, not hunter3"), all);
      assertTrue(all.contains("environment variable RAMET_PORT: ramet.port: must be a port"), all);
      assertFalse(all.contains("hunter2"), all);
      assertFalse(all.contains("hunter4"), all);
    }
    assertFalse(Files.exists(data), "nothing is made");
  }

  @Test
  void theShippedFileSetsNothing() throws Exception {
    Installed.Run run = Installed.alone(Map.of(), List.of("config", "check"));
    assertEquals(0, run.status(), run.err());
    assertTrue(run.out().contains("conf/ramet.yaml: no errors"), run.out());
  }
}
