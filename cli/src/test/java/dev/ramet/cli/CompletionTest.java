// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CompletionTest {
  @Test
  void theScriptIsValidAndKnowsTheCommands(@TempDir Path folder) throws Exception {
    FakeHost.Outcome made = FakeHost.run(Map.of(), new byte[0], "completion", "bash");
    assertEquals(0, made.status(), made.err());
    Path script = Files.write(folder.resolve("script"), made.bytes());
    assertEquals(0, bash("bash", "-n", script.toString()));
    assertEquals(
        0,
        bash(
            "bash",
            "-c",
            ". \"$0\"; COMP_WORDS=(ramet sandbox cl); COMP_CWORD=2; COMP_LINE='ramet sandbox cl';"
                + " _complete_ramet; [ \"${COMPREPLY[*]}\" = clone ]",
            script.toString()));
    assertTrue(FakeHost.run(Map.of(), new byte[0], "completion", "zsh").out().contains("compinit"));
  }

  private static int bash(String... command) throws Exception {
    return new ProcessBuilder(command).inheritIO().start().waitFor();
  }

  @Test
  void theVersionIsThatOfTheBuild() {
    String out = FakeHost.run(Map.of(), new byte[0], "--version").out();
    assertTrue(out.matches("(?s)ramet \\d+\\.\\d+\\.\\d+.*\nJava .*"), out);
  }
}
