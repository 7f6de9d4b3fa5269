// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the commands for secrets, and rules that refer to secrets. */
final class SecretCommandsTest {
  private static final String SECRET =
      "{\"secretID\":\"sec_1\",\"name\":\"openai\",\"currentVersion\":2,\"metadata\":{\"a\":\"b\"},"
          + "\"createdAt\":\"2026-01-02T03:04:05Z\",\"updatedAt\":\"2026-01-02T03:04:05Z\"}";

  @TempDir private Path directory;
  @AutoClose private final FakeHost host = new FakeHost();

  @Test
  void aValueComesFromAFile() throws Exception {
    Path file = Files.writeString(directory.resolve("key"), "sk-1 2\n");
    host.on("/secrets", 201, SECRET);
    FakeHost.Outcome made =
        host.run("secret", "create", "openai", "--from", "" + file, "--metadata", "a=b");
    assertEquals(0, made.status(), made.err());
    assertEquals("openai\n", made.out());
    assertEquals(
        "{\"name\":\"openai\",\"value\":\"sk-1 2\",\"metadata\":{\"a\":\"b\"}}",
        host.requests.get(0).text());
    assertEquals(
        SECRET + "\n", host.run("secret", "create", "o", "--from", "" + file, "--json").out());

    host.on("/secrets/openai", 200, SECRET);
    assertEquals(
        0, host.run("secret", "create", "openai", "--replace", "--from", "" + file).status());
    assertEquals("{\"value\":\"sk-1 2\"}", host.requests.get(2).text());
    FakeHost.Outcome missing = host.run("secret", "create", "openai", "--from", "/none/at/all");
    assertEquals(2, missing.status());
    assertTrue(missing.err().contains("--from"), missing.err());
    assertEquals(2, host.run("secret", "create", "openai", "sk-1").status(), "never an argument");
  }

  @Test
  void listsAndForgets() {
    host.on("/secrets", 200, "[" + SECRET + "]");
    FakeHost.Outcome table = host.run("secret", "ls");
    assertTrue(
        table.out().matches("(?s)SECRET +NAME +VERSION.*sec_1 +openai +2 .*a=b.*"), table.out());
    assertEquals("[" + SECRET + "]\n", host.run("secret", "ls", "--json").out());
    host.on("/secrets/openai", 204, "");
    assertEquals("openai\n", host.run("secret", "rm", "openai").out());
  }

  @Test
  void rulesComeFromAFileAndAreShownWithoutValues() throws Exception {
    String rules =
        "{\"api.test\":[{\"transform\":{\"headers\":{\"X-Key\":\"${e2b.secrets.openai}\"}}}]}";
    Path file = Files.writeString(directory.resolve("rules.json"), rules);
    host.on("/sandboxes/abc/network", 204, "");
    host.on(
        "/sandboxes/abc",
        200,
        Answers.sandbox(
            "abc", ",\"network\":{\"allowOut\":[],\"denyOut\":[],\"rules\":" + rules + "}"));
    FakeHost.Outcome set = host.run("sandbox", "network", "abc", "--rules", "" + file);
    assertEquals(0, set.status(), set.err());
    assertEquals(
        "{\"allowOut\":[],\"denyOut\":[],\"rules\":" + rules + "}", host.requests.get(0).text());
    assertTrue(set.out().contains("Headers to api.test"), set.out());
    assertFalse(set.out().contains("e2b.secrets"), set.out());
    Files.writeString(file, "[]");
    assertEquals(2, host.run("sandbox", "network", "abc", "--rules", "" + file).status());
  }
}
