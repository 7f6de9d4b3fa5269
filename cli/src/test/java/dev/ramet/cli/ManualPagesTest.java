// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Tests the manual pages that the package installs. */
final class ManualPagesTest {
  @TempDir private Path directory;

  @Test
  void everyCommandHasAPage() throws Exception {
    FakeHost.Outcome done =
        FakeHost.run(Map.of(), new byte[0], "help", "--man", "" + directory.resolve("man1"));
    assertEquals(0, done.status(), done.err());
    List<String> expected =
        CommandWalkTest.commands().stream()
            .map(command -> command.getCommandSpec().qualifiedName("-") + ".1")
            .sorted()
            .toList();
    try (Stream<Path> files = Files.list(directory.resolve("man1"))) {
      assertEquals(expected, files.map(file -> "" + file.getFileName()).sorted().toList());
    }
    for (CommandLine command : CommandWalkTest.commands()) {
      Path file =
          directory.resolve("man1").resolve(command.getCommandSpec().qualifiedName("-") + ".1");
      String page = Files.readString(file);
      assertTrue(page.startsWith(".TH "), page);
      assertFalse(
          page.contains("${DEFAULT") || page.contains("${COMP") || page.contains("%n"), page);
      assertTrue(page.lines().noneMatch(String::isEmpty), page);
      assertTrue(page.contains("\n.SH EXIT STATUS\n.TP\n.B "), page);
      assertTrue(command.getParent() == null || page.contains("\n.SH EXAMPLES\n"), page);
    }
    String page = Files.readString(directory.resolve("man1/ramet-sandbox-create.1"));
    assertTrue(page.contains("\n\\fB\\-t\\fR, \\fB\\-\\-template\\fR=\\fINAME\\fR\n"), page);
    assertTrue(page.contains("\n.SH EXAMPLES\n"), page);
    assertTrue(page.contains("'localhost:${PORT}'"), page);
  }
}
