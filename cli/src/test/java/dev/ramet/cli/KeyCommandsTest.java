// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ramet.cli.FakeHost.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyCommandsTest {
  @TempDir private Path root;

  private Outcome run(String... args) {
    return FakeHost.run(Map.of("RAMET_DATA_ROOT", root.toString()), new byte[0], args);
  }

  @Test
  void makesListsAndRevokes() throws Exception {
    Outcome made = run("key", "create", "ci");
    assertEquals(0, made.status(), made.err());
    String key = made.out().strip();
    assertTrue(key.startsWith("e2b_"), key);
    Outcome json = run("key", "create", "operator", "--scope", "admin", "--json");
    JsonNode admin = new ObjectMapper().readTree(json.out());
    assertEquals("admin", admin.path("scope").asText());
    assertTrue(admin.path("key").asText().startsWith("e2b_"));

    Outcome table = run("key", "ls");
    assertTrue(table.out().startsWith("KEY"), table.out());
    assertTrue(table.out().contains("operator"));
    assertFalse(table.out().contains(key));
    JsonNode list = new ObjectMapper().readTree(run("key", "ls", "--json").out());
    assertEquals(2, list.size());
    assertFalse(list.path(0).has("key"), "cannot be shown again");

    Outcome revoked = run("key", "revoke", "ci", admin.path("id").asText());
    assertEquals(0, revoked.status(), revoked.err());
    assertEquals("[]", run("key", "ls", "--json").out().strip());
  }

  @Test
  void saysWhatIsWrong() {
    assertEquals(2, run("key", "create", "a b").status());
    assertEquals(2, run("key", "create", "ci", "--scope", "root").status());
    assertEquals(3, run("key", "revoke", "nobody").status());
    assertEquals(0, run("key", "create", "ci").status());
    Outcome taken = run("key", "create", "ci");
    assertEquals(4, taken.status());
    assertTrue(taken.err().contains("revoke it first"), taken.err());
    Outcome nowhere = run("key", "ls", "--data-root", root.resolve("no").toString());
    assertEquals(3, nowhere.status());
    assertTrue(nowhere.err().contains("--data-root"), nowhere.err());
  }

  @Test
  void anotherFileCanBeNamed() {
    Path file = root.resolve("keys");
    assertEquals(0, run("key", "create", "ci", "--keys-file", file.toString()).status());
    assertTrue(Files.exists(file));
    Map<String, String> environment = Map.of("RAMET_KEYS_FILE", file.toString());
    assertTrue(FakeHost.run(environment, new byte[0], "key", "ls").out().contains("ci"));
  }
}
