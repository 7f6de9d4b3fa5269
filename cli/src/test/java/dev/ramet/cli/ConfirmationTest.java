// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that nothing is destroyed in numbers without a yes. */
final class ConfirmationTest {
  @AutoClose private final FakeHost host = new FakeHost();

  @BeforeEach
  void sandboxes() {
    host.on(
        "/v2/sandboxes",
        200,
        "["
            + Answers.sandbox("one", "").replace("running", "failed")
            + ","
            + Answers.sandbox("two", "")
            + "]");
    host.on("/sandboxes/", 204, "");
    host.on("/snapshots/", 204, "");
    host.on(
        "/snapshots",
        200,
        "[" + Answers.snapshot("s1", "") + "," + Answers.snapshot("s2", "") + "]");
  }

  private List<String> deleted() {
    return host.requests.stream()
        .filter(request -> request.method().equals("DELETE"))
        .map(FakeHost.Request::uri)
        .toList();
  }

  @Test
  void aPersonIsAskedAndMayRefuse() {
    FakeHost.Outcome no = host.runAtTerminal("\n", "sandbox", "kill", "--all");
    assertEquals(130, no.status());
    assertTrue(no.err().contains("SANDBOX"), no.err());
    assertTrue(no.err().endsWith("Kill 2 sandboxes? [y/N] Nothing was changed.\n"), no.err());
    assertEquals(130, host.runAtTerminal("n\ny\n", "sandbox", "kill", "one", "two").status());
    assertEquals(List.of(), deleted());
    assertEquals("one\ntwo\n", host.runAtTerminal("y\n", "sandbox", "kill", "--all").out());
    assertEquals(List.of("/sandboxes/one", "/sandboxes/two"), deleted());
  }

  @Test
  void aProgramMustSayYes() {
    FakeHost.Outcome done = host.run("sandbox", "kill", "--filter", "state=failed");
    assertEquals(2, done.status());
    assertTrue(
        done.err().endsWith("error: not confirmed: kill 1 sandbox\n  confirm it with --yes\n"));
    assertEquals(List.of(), deleted());
    assertEquals("one\n", host.run("sandbox", "kill", "--filter", "state=failed", "--yes").out());
    assertEquals(List.of("/sandboxes/one"), deleted());
  }

  @Test
  void scriptsOfEarlierVersionsWorkAndAreWarned() {
    FakeHost.Outcome done = host.run("sandbox", "kill", "one", "two");
    assertEquals("one\ntwo\n", done.out());
    assertEquals(
        "warning: the next version of Ramet will not kill 2 sandboxes without --yes; add it to your"
            + " script\n",
        done.err());
    assertEquals("", host.run("sandbox", "kill", "one").err());
    assertEquals("", host.run("sandbox", "kill", "one", "two", "-y").err());
  }

  @Test
  void aNameIsAllItsVersions() {
    assertTrue(host.run("snapshot", "rm", "before").err().contains("delete 2 snapshots"));
    assertEquals("", host.run("snapshot", "rm", "s1").err());
    assertEquals(130, host.runAtTerminal("", "snapshot", "rm", "before").status());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"kill", "kill --all one", "kill --all --filter state=failed", "kill --filter a=b"})
  void unclearOrdersAreRefused(String line) {
    FakeHost.Outcome done = host.run(("sandbox " + line).split(" ", -1));
    assertEquals(2, done.status(), done.err());
    assertEquals(List.of(), deleted());
  }

  @Test
  void nothingToKillIsNoError() {
    FakeHost.Outcome done = host.run("sandbox", "kill", "--filter", "state=paused");
    assertEquals(0, done.status());
    assertEquals("No sandbox matches.\n", done.err());
  }

  @Test
  void aPoolIsNotRemovedWithoutAnAnswer(@TempDir Path root) {
    String[] line = {"storage", "remove", "--data-root", root.toString()};
    String action = "delete every sandbox, snapshot and template in " + root;
    FakeHost.Outcome program = host.run(line);
    assertEquals(2, program.status());
    assertEquals("error: not confirmed: " + action + "\n  confirm it with --yes\n", program.err());
    FakeHost.Outcome person = host.runAtTerminal("n\n", line);
    assertEquals(130, person.status());
    assertEquals("D" + action.substring(1) + "? [y/N] Nothing was changed.\n", person.err());
    // Without the plugins that make pools, it fails only after the answer.
    FakeHost.Outcome agreed = host.runAtTerminal("y\n", line);
    assertTrue(
        agreed.err().contains("? [y/N] error: no plugin here can make a pool"), agreed.err());
    String[] yes = {"storage", "remove", "--data-root", root.toString(), "-y"};
    assertTrue(host.run(yes).err().startsWith("error: no plugin here"));
  }
}
