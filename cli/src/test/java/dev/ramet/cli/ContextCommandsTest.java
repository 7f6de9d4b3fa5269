// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests saved contexts: which host is asked, with which key, and how they are kept. */
final class ContextCommandsTest {
  @AutoClose private final FakeHost host = new FakeHost();
  @AutoClose private final FakeHost other = new FakeHost();
  @TempDir private Path directory;
  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void prepare() {
    environment.put("XDG_CONFIG_HOME", directory.toString());
    host.on("/v2/sandboxes", 200, "[]");
    other.on("/v2/sandboxes", 200, "[]");
  }

  private FakeHost.Outcome run(String... args) {
    return FakeHost.run(environment, new byte[0], args);
  }

  private void succeed(String... args) {
    FakeHost.Outcome done = run(args);
    assertEquals(0, done.status(), done.err());
  }

  private Path file() {
    return directory.resolve("ramet/contexts.json");
  }

  @Test
  void theContextInUseIsAsked() {
    succeed("context", "add", "one", host.address());
    succeed("context", "add", "two", other.address(), "--use");
    succeed("sandbox", "ls");
    assertEquals(1, other.requests.size());
    succeed("--context", "one", "sandbox", "ls");
    succeed("context", "use", "one");
    succeed("sandbox", "ls");
    assertEquals(2, host.requests.size());
    environment.put("RAMET_CONTEXT", "two");
    succeed("sandbox", "ls");
    assertEquals(2, other.requests.size());
    environment.put("RAMET_SERVER", host.address());
    succeed("sandbox", "ls");
    assertEquals(3, host.requests.size());
    succeed("sandbox", "ls", "--server", other.address());
    assertEquals(3, other.requests.size());
  }

  @Test
  void variablesOfTheOwnHostOverrideTheContext() {
    succeed("context", "add", "two", other.address(), "--use");
    String address = host.address();
    environment.put("RAMET_PORT", address.substring(address.lastIndexOf(':') + 1));
    succeed("sandbox", "ls");
    assertEquals(1, host.requests.size());
    FakeHost.Outcome used = run("context", "use", "two");
    assertEquals(
        "warning: commands still ask " + address + ", because of RAMET_PORT\n", used.err());
  }

  @Test
  void theListMarksTheOneInUse() {
    succeed("context", "add", "one", host.address());
    FakeHost.Outcome before = run("context", "ls");
    assertTrue(before.out().matches("(?s).*\n\\* +local +http://127.0.0.1:3000.*"), before.out());
    succeed("context", "use", "one");
    FakeHost.Outcome after = run("context", "ls");
    assertTrue(
        after.out().matches("(?s).*\n\\* +one +\\Q" + host.address() + "\\E.*"), after.out());
    assertTrue(run("context", "ls", "--json").out().contains("\"name\":\"one\",\"current\":true"));
    succeed("context", "use", "local");
    assertTrue(run("context", "ls").out().contains("*  local"));
  }

  @Test
  void theKeyComesFromAFileOrACommand() throws IOException {
    Path key = Files.writeString(directory.resolve("key"), "from-file\n");
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
    FakeHost.Outcome added =
        run("context", "add", "one", host.address(), "--key-file", key.toString(), "--use");
    assertTrue(added.err().contains("other users can read " + key), added.err());
    environment.put("RAMET_API_KEY", "for-another-host");
    succeed("sandbox", "ls");
    assertEquals("from-file", host.requests.get(0).headers().getFirst("X-API-KEY"));
    succeed("context", "add", "one", host.address(), "--key-command", "echo of-ring", "--replace");
    succeed("sandbox", "ls");
    assertEquals("of-ring", host.requests.get(1).headers().getFirst("X-API-KEY"));
    assertFalse(Files.readString(file()).contains("from-file"), "keys are not kept");
  }

  /** It is for the host that RAMET_SERVER or --server names, else for the host of this machine. */
  @Test
  void theKeyOfTheEnvironmentIsNotSentToOtherContexts() {
    succeed("context", "add", "one", host.address(), "--use");
    environment.put("RAMET_API_KEY", "for-another-host");
    for (String[] line :
        new String[][] {{"sandbox", "ls"}, {"--context", "one", "sandbox", "ls"}}) {
      FakeHost.Outcome asked = run(line);
      assertTrue(
          asked.err().contains("RAMET_API_KEY is not sent to " + host.address()), asked.err());
      assertEquals("", run("--quiet", "sandbox", "ls").err());
    }
    succeed("sandbox", "ls", "--server", other.address());
    assertEquals("for-another-host", other.requests.get(0).headers().getFirst("X-API-KEY"));
    host.requests.forEach(request -> assertNull(request.headers().getFirst("X-API-KEY")));
    environment.put("RAMET_SERVER", host.address() + "/");
    succeed("--context", "one", "sandbox", "ls");
    assertEquals(
        "for-another-host",
        host.requests.get(host.requests.size() - 1).headers().getFirst("X-API-KEY"));
    environment.remove("RAMET_SERVER");
    environment.put("RAMET_PORT", host.address().replaceAll(".*:", ""));
    assertEquals("", run("--context", "one", "sandbox", "ls").err());
  }

  @Test
  void aKeyThatIsNotThereIsAnError() {
    succeed("context", "add", "one", host.address(), "--key-command", "exit 3", "--use");
    FakeHost.Outcome done = run("sandbox", "ls");
    assertEquals(2, done.status());
    assertTrue(
        done.err().contains("no API key for the context one: its command ended with status 3"),
        done.err());
    assertEquals(0, host.requests.size());
  }

  @Test
  void onlyTheOwnerCanReadTheFile() throws IOException {
    succeed("context", "add", "one", host.address());
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file())));
  }

  @Test
  void badInputChangesNothing() throws IOException {
    succeed("context", "add", "one", host.address());
    String before = Files.readString(file());
    assertEquals(4, run("context", "add", "one", other.address()).status());
    assertEquals(2, run("context", "add", "local", other.address()).status());
    assertEquals(2, run("context", "add", "a b", other.address()).status());
    assertEquals(2, run("context", "add", "two", "ftp://x").status());
    assertEquals(2, run("context", "add", "two", other.address(), "--ca", "/nope").status());
    assertEquals(
        2,
        run("context", "add", "two", other.address(), "--key-file", "/nope", "--key-command", "x")
            .status());
    assertEquals(3, run("context", "use", "nobody").status());
    assertEquals(3, run("context", "rm", "nobody").status());
    FakeHost.Outcome unknown = run("--context", "nobody", "sandbox", "ls");
    assertEquals(3, unknown.status());
    assertEquals("error: context not found: nobody\n  there are: one\n", unknown.err());
    assertEquals(before, Files.readString(file()));
  }

  @Test
  void aDeletedContextIsNotAsked() {
    succeed("context", "add", "one", host.address(), "--use");
    succeed("context", "rm", "one");
    assertTrue(run("context", "ls").out().contains("*  local"));
  }

  @Test
  void aDamagedFileNamesTheWayOut() throws IOException {
    Files.createDirectories(file().resolveSibling(""));
    Files.writeString(file(), "{\"version\": 7}");
    FakeHost.Outcome done = run("sandbox", "ls");
    assertEquals(2, done.status());
    assertTrue(done.err().contains("has format version 7"), done.err());
    assertEquals(0, run("sandbox", "ls", "--server", host.address()).status());
  }
}
