// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * Tests that the reference page of routes matches the OpenAPI document. With {@code
 * RAMET_WRITE_REFERENCE=yes} the test rewrites it.
 */
class RoutesPageTest {
  private static final Path PAGE = Path.of("../docs/reference/routes.md");
  private static final String DOCUMENT = "/dev/ramet/server/http/reference/openapi.json";

  @Test
  void thePageIsWrittenFromTheDocument() throws IOException {
    String text;
    try (InputStream document =
        Objects.requireNonNull(RoutesPageTest.class.getResourceAsStream(DOCUMENT))) {
      text = RoutesPage.text(new ObjectMapper().readTree(document));
    }
    if ("yes".equals(System.getenv("RAMET_WRITE_REFERENCE"))) {
      Files.writeString(PAGE, text);
    }
    assertEquals(
        text, Files.readString(PAGE), PAGE + " is stale: write it with RAMET_WRITE_REFERENCE=yes");
  }
}
