// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.client.Ramet;
import dev.ramet.client.Sandbox;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Tests terminals in a real sandbox, typed into through a real pseudo-terminal. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TerminalTest {
  private static final String CTRL_C = "\\x03";
  private static final String CTRL_P_CTRL_Q = "\\x10\\x11";

  @TempDir private Path scratch;
  private Ground ground;
  private Installed host;
  private Ramet ramet;
  private Sandbox sandbox;

  @BeforeAll
  void start() throws Exception {
    ground = Ground.make();
    ground.closeEngine();
    host = Installed.serve(ground.dataRoot(), Map.of());
    ramet = host.client();
    sandbox = ramet.create("micro", null);
  }

  @AfterAll
  void end() throws Exception {
    if (host != null) {
      host.close();
    }
    ground.openEngine();
    ground.close();
  }

  private TypedTerminal terminal(String... arguments) throws Exception {
    return TypedTerminal.start(host, scratch, arguments);
  }

  private TypedTerminal shell() throws Exception {
    return terminal("sandbox", "shell", sandbox.id()).expect("# ");
  }

  /** The prompt shows what was typed, so each expected text differs from the typed one. */
  @Test
  void aShellHasThisTerminalsSizeKeysAndSignals() throws Exception {
    try (TypedTerminal terminal = shell()) {
      terminal.type("stty size\\n").expect("30 100");
      terminal.size(132, 40).type("until stty size | grep 132; do :; done\\n").expect("40 132");
      // Only when the program says so is it the one that gets the key.
      terminal.type("sh -c 'echo in-$((1 + 1)); exec sleep 1000'\\n").expect("in-2");
      terminal.type(CTRL_C).expect("# ");
      terminal.type("echo sig=$(($? + 1000))\\n").expect("sig=1130");
      terminal.type("exit 7\\n");
      assertEquals(7, terminal.exit());
    }
  }

  @Test
  void aShellIsFoundAgainAfterARollbackOrReplaced() throws Exception {
    sandbox.snapshot("before-shell");
    try (TypedTerminal terminal = shell()) {
      terminal.type("value=kept; echo set-$((40 + 2))\\n").expect("set-42");
      sandbox.snapshot("in-shell");
      terminal.type("value=lost; echo set-$((40 + 3))\\n").expect("set-43");
      assertEquals(0, host.run("sandbox", "rollback", sandbox.id(), "in-shell").status());
      terminal.expect("restored: attached again").type("echo [$value]\\n").expect("[kept]");
      assertEquals(0, host.run("sandbox", "rollback", sandbox.id(), "before-shell").status());
      terminal.expect("a new shell").expect("# ").type("echo [$value]\\n").expect("[]");
      terminal.type("exit\\n");
      assertEquals(0, terminal.exit());
    }
  }

  @Test
  void aShellThatIsLeftContinues() throws Exception {
    try (TypedTerminal terminal = shell()) {
      terminal.type("cd /srv; echo pid=$$=\\n").expect("pid=1").type(CTRL_P_CTRL_Q);
      terminal.expect("Attach again: ramet sandbox shell " + sandbox.id() + " --attach ");
      assertEquals(0, terminal.exit());
    }
    String pid = sandbox.run("pidof sh").text().strip().split(" ", -1)[0];
    try (TypedTerminal terminal = terminal("sandbox", "shell", sandbox.id(), "--attach", pid)) {
      terminal.type("\\npwd\\n").expect("/srv").type("exit 3\\n");
      assertEquals(3, terminal.exit());
    }
  }

  @Test
  void aTerminalThatIsClosedEndsItsShell() throws Exception {
    try (TypedTerminal terminal = shell()) {
      terminal.type("exec 9> /tmp/held; echo held-$((1 + 1))\\n").expect("held-2");
      terminal.signal(15);
      assertEquals(143, terminal.exit());
    }
    sandbox.run("while ls -l /proc/[0-9]*/fd 2> /dev/null | grep -q /tmp/held; do :; done").text();
  }

  @Test
  void execWithATerminalRunsAnyProgram() throws Exception {
    try (TypedTerminal terminal =
        terminal("sandbox", "exec", "-it", sandbox.id(), "--", "sh", "-c", "read x; exit $x")) {
      terminal.type("9\\n");
      assertEquals(9, terminal.exit());
    }
    assertTrue(
        host.run("sandbox", "exec", "-t", sandbox.id(), "--", "tty").out().contains("/dev/pts"));
    Installed.Run piped = host.run("sandbox", "exec", "-it", sandbox.id(), "--", "tty");
    assertEquals(125, piped.status(), piped.err());
  }

  @Test
  void execTellsItsOwnFailuresFromTheProgramsStatus() throws Exception {
    String id = sandbox.id();
    assertEquals(125, host.run("sandbox", "exec", "nosuchsandbox", "--", "true").status());
    assertEquals(3, host.run("sandbox", "exec", id, "--", "sh", "-c", "exit 3").status());
  }

  @Test
  void topIsDrawnOnATerminalAndPrintedElsewhere() throws Exception {
    try (TypedTerminal terminal = terminal("top")) {
      terminal.expect("OWN MEM").expect(sandbox.id()).expect("running").expect("%");
      terminal.type("q");
      assertEquals(0, terminal.exit());
    }
    Installed.Run once = host.run("top", sandbox.id(), "--once");
    assertEquals(0, once.status(), once.err());
    assertTrue(once.out().contains(sandbox.id()) && once.out().contains("MiB"), once.out());
    assertTrue(host.run("top", "--once", "--json").out().contains("\"memoryOwnBytes\":"));
  }

  @Test
  void theConsoleIsInTheLogs() throws Exception {
    sandbox.run("echo on the console > /dev/console").text();
    Installed.Run logs =
        host.run("sandbox", "logs", sandbox.id(), "--source", "console", "--tail", "1");
    assertEquals("on the console\n", logs.out(), logs.err());
  }

  @Test
  void aPausedSandboxSaysSoAndHowToResumeIt() throws Exception {
    try (Sandbox paused = ramet.create("micro", null)) {
      assertEquals(0, host.run("sandbox", "pause", paused.id()).status());
      for (String[] command :
          new String[][] {
            {"sandbox", "exec", paused.id(), "--", "true"},
            {"sandbox", "cp", paused.id() + ":/etc/passwd", "-"},
          }) {
        Installed.Run run = host.run(command);
        assertEquals(4, run.status(), run.err());
        assertTrue(run.err().contains(paused.id() + " is paused"), run.err());
        assertTrue(run.err().contains("ramet sandbox resume " + paused.id()), run.err());
      }
    }
  }
}
