// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that commands on a host's machine ask the host that the settings there describe. */
@Timeout(900)
final class OwnHostTest {
  @AutoClose private final FakeHost own = new FakeHost();
  @AutoClose private final FakeHost other = new FakeHost();
  @TempDir private Path directory;

  private Map<String, String> settings(String yaml) throws IOException {
    Path file = Files.writeString(directory.resolve("ramet.yaml"), yaml);
    Map<String, String> environment = new HashMap<>();
    environment.put("RAMET_CONFIG", file.toString());
    return environment;
  }

  private static String port(FakeHost host) {
    return host.address().substring(host.address().lastIndexOf(':') + 1);
  }

  private static FakeHost.Outcome run(Map<String, String> environment, String... args) {
    return FakeHost.run(environment, new byte[0], args);
  }

  @Test
  void theFileOfTheHostSaysWhereItIs() throws IOException {
    own.on("/v2/sandboxes", 200, "[]");
    Map<String, String> environment = settings("ramet:\n  port: " + port(own) + "\n");
    FakeHost.Outcome done = run(environment, "sandbox", "ls", "-v");
    assertEquals(0, done.status(), done.err());
    assertEquals(1, own.requests.size());
    assertTrue(
        done.err()
            .matches(
                "(?s)host: \\Q"
                    + own.address()
                    + " (from "
                    + directory.resolve("ramet.yaml")
                    + "), without a key\\E\nGET /v2/sandboxes[^ ]*: 200 after [0-9]+ ms\n"),
        done.err());
  }

  @Test
  void aVariableOverridesTheFile() throws IOException {
    own.on("/v2/sandboxes", 200, "[]");
    Map<String, String> environment = settings("ramet:\n  port: " + port(other) + "\n");
    environment.put("RAMET_PORT", port(own));
    assertEquals(0, run(environment, "sandbox", "ls").status());
    assertEquals(1, own.requests.size());
    assertEquals(0, other.requests.size());
  }

  @Test
  void aVariableThatKubernetesAddedIsNoPort() throws IOException {
    own.on("/v2/sandboxes", 200, "[]");
    Map<String, String> environment = settings("ramet:\n  port: " + port(own) + "\n");
    environment.put("RAMET_PORT", "tcp://10.0.0.1:3000");
    assertEquals(0, run(environment, "sandbox", "ls").status());
    assertEquals(1, own.requests.size());
  }

  @Test
  void tlsAndAuthorityComeFromTheFileToo() throws IOException {
    Path authority = directory.resolve("data/tls/ca.pem");
    Files.createDirectories(authority.getParent());
    Files.writeString(authority, "no certificate");
    FakeHost.Outcome done =
        run(
            settings(
                "ramet: { port: 1, tls: ON, bind: 127.0.0.2, data-root: "
                    + directory.resolve("data")
                    + " }\n"),
            "sandbox",
            "ls",
            "-v");
    assertTrue(done.err().startsWith("host: https://127.0.0.2:1 (from "), done.err());
    assertTrue(done.err().contains(authority + " is not a certificate"), done.err());
  }

  @Test
  void everyAddressIsReachedOnLoopback() throws IOException {
    own.on("/v2/sandboxes", 200, "[]");
    for (String bind : new String[] {"0.0.0.0", "'::'"}) {
      Map<String, String> environment =
          settings("ramet:\n  port: " + port(own) + "\n  bind: " + bind + "\n");
      assertEquals(0, run(environment, "sandbox", "ls").status());
    }
  }

  /** The default address may be that of another host, so it is no way out. */
  @Test
  void aDamagedFileIsNotPassedOver() throws IOException {
    Map<String, String> environment = settings("ramet: [\n");
    FakeHost.Outcome done = run(environment, "sandbox", "ls");
    assertEquals(2, done.status(), done.err());
    assertTrue(done.err().contains("ramet.yaml:2: is not YAML"), done.err());
    assertTrue(done.err().contains("--server"), done.err());
    own.on("/v2/sandboxes", 200, "[]");
    assertEquals(0, run(environment, "sandbox", "ls", "--server", own.address()).status());
    environment = settings("ramet: { port: many }\n");
    done = run(environment, "sandbox", "ls");
    assertEquals(2, done.status(), done.err());
    assertTrue(done.err().contains("ramet.port: must be a port like 3000, not many"), done.err());
  }

  @Test
  void theDoctorNamesTheHostFirst() throws IOException {
    own.on("/doctor", 200, Answers.doctor("GOOD", 0));
    Map<String, String> environment = settings("ramet:\n  port: " + port(own) + "\n");
    FakeHost.Outcome done = run(environment, "doctor");
    assertTrue(done.out().startsWith("Host: " + own.address() + " (from " + directory), done.out());
  }

  @Test
  void quietPrintsNoNotices() throws IOException {
    own.on("/v2/sandboxes", 200, "[]");
    Map<String, String> environment = settings("ramet:\n  port: " + port(own) + "\n");
    assertEquals("", run(environment, "--quiet", "sandbox", "ls").err());
  }
}
