// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditLogTest {
  @TempDir private Path directory;

  private static byte[] line(int i) {
    return ("line " + i).getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void keepsAFewFilesOfABoundedSize() throws IOException {
    Path file = directory.resolve("audit.log");
    try (AuditLog log = new AuditLog(file, 30)) {
      for (int i = 0; i < 100; i++) {
        log.add(line(i));
      }
    }
    List<String> kept = new ArrayList<>();
    for (int i = AuditLog.KEPT; i > 0; i--) {
      Path rotated = directory.resolve("audit.log." + i);
      assertTrue(Files.size(rotated) <= 30);
      kept.addAll(Files.readAllLines(rotated));
    }
    kept.addAll(Files.readAllLines(file));
    assertFalse(Files.exists(directory.resolve("audit.log." + (AuditLog.KEPT + 1))));
    for (int i = 0; i < kept.size(); i++) {
      assertEquals("line " + (100 - kept.size() + i), kept.get(i));
    }
  }

  @Test
  void addsToWhatIsThere() throws IOException {
    Path file = directory.resolve("audit.log");
    for (int i = 0; i < 2; i++) {
      try (AuditLog log = new AuditLog(file, 1000)) {
        log.add(line(i));
      }
    }
    assertEquals(List.of("line 0", "line 1"), Files.readAllLines(file));
  }

  @Test
  void goesOnWhenItCanBeWrittenAgain() throws IOException {
    Path missing = directory.resolve("later");
    try (AuditLog log = new AuditLog(missing.resolve("audit.log"), 1000)) {
      log.add(line(1));
      log.add(line(2));
      Files.createDirectory(missing);
      log.add(line(3));
    }
    assertEquals(List.of("line 3"), Files.readAllLines(missing.resolve("audit.log")));
  }
}
