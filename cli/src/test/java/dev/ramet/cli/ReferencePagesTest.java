// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * Tests that the reference pages of the command line and of the error codes match the program. With
 * {@code RAMET_WRITE_REFERENCE=yes} the test rewrites both.
 */
class ReferencePagesTest {
  private static final Path PROJECT = Path.of("..");

  @Test
  void thePageOfTheCommandLineIsTheHelp() throws IOException {
    same("docs/reference/cli.md", CommandPage.text());
  }

  @Test
  void thePageOfErrorsIsTheTableOfCodes() throws IOException {
    same("docs/reference/errors.md", ErrorPage.text(PROJECT));
  }

  private static void same(String name, String text) throws IOException {
    Path path = PROJECT.resolve(name);
    if ("yes".equals(System.getenv("RAMET_WRITE_REFERENCE"))) {
      Files.writeString(path, text);
    }
    assertEquals(
        text, Files.readString(path), name + " is stale: write it with RAMET_WRITE_REFERENCE=yes");
  }
}
