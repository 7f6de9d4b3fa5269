// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that commands which need no plugin load none. */
final class WithoutPluginsTest {
  private static final String PLUGIN = "dev.ramet.hypervisors.qemu.QemuProvider";

  @TempDir private Path root;

  /** Runs a command and returns the names of the classes that it loaded. */
  private String loadedBy(int status, String... command) throws Exception {
    Path log = root.resolve("classes");
    Map<String, String> environment =
        Map.of(
            "RAMET_DATA_ROOT",
            root.toString(),
            "RAMET_JAVA_OPTS",
            // A start-up archive of Java 25 loads all its classes at once.
            "-XX:+IgnoreUnrecognizedVMOptions -XX:AOTMode=off -Xlog:class+load:file=" + log);
    Installed.Run run = Installed.alone(environment, List.of(command));
    assertEquals(status, run.status(), run.err());
    return Files.readString(log);
  }

  @Test
  void keysAndProvisionersNeedNone() throws Exception {
    assertFalse(loadedBy(0, "key", "ls").contains(PLUGIN));
    assertFalse(loadedBy(0, "storage", "status").contains(PLUGIN));
    assertTrue(loadedBy(0, "config", "check").contains(PLUGIN), "it checks their settings");
  }
}
