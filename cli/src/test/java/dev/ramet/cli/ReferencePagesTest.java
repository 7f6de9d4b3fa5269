// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Tests that the reference pages of the command line and of the error codes match the program. With
 * {@code RAMET_WRITE_REFERENCE=yes} the test rewrites them.
 */
class ReferencePagesTest {
  private static final Path PROJECT = Path.of("..");
  private static final boolean WRITES = "yes".equals(System.getenv("RAMET_WRITE_REFERENCE"));

  @Test
  void thePageOfTheCommandLineIsTheHelp() throws IOException {
    same("docs/reference/cli.md", CommandPage.text());
  }

  @Test
  void thePageOfErrorsIsTheTableOfCodes() throws IOException {
    same("docs/reference/errors.md", ErrorPage.text(PROJECT));
  }

  @Test
  void everyCommandHasAPageOfItsOwn() throws IOException {
    SortedMap<String, String> pages = CommandPage.pages();
    Path folder = PROJECT.resolve("docs/reference/commands");
    Files.createDirectories(folder);
    SortedSet<String> stale = new TreeSet<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        if (!pages.containsKey(file.getFileName().toString())) {
          stale.add(file.getFileName().toString());
          if (WRITES) {
            Files.delete(file);
          }
        }
      }
    }
    assertTrue(WRITES || stale.isEmpty(), () -> "pages of commands that are gone: " + stale);
    for (Map.Entry<String, String> page : pages.entrySet()) {
      same("docs/reference/commands/" + page.getKey(), page.getValue());
    }
  }

  private static void same(String name, String text) throws IOException {
    Path path = PROJECT.resolve(name);
    if (WRITES) {
      Files.writeString(path, text);
    }
    assertEquals(
        text,
        Files.exists(path) ? Files.readString(path) : "",
        name + " is stale: write it with RAMET_WRITE_REFERENCE=yes");
  }
}
