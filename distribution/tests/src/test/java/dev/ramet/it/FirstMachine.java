// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Assumptions;

/**
 * The script {@code src/test/container/first-machine}, which runs here or in a container, and its
 * inputs.
 */
final class FirstMachine {
  /** The script, for any POSIX shell. */
  static final Path STEPS = Path.of("src/test/container/first-machine").toAbsolutePath();

  /** The last line of its output on success. */
  static final String DONE = "a machine ran";

  private static final String VERSION = "1.2.3-container";

  private FirstMachine() {}

  /** Packs the installed layout. */
  static Path archive(Path directory) throws Exception {
    Path layout = Path.of(System.getProperty("ramet.guest"), "../..").normalize();
    run(List.of("../package", "" + layout, VERSION, "" + directory));
    return directory.resolve("ramet-" + VERSION + ".tar.gz");
  }

  private static void run(List<String> command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), () -> command + ": " + said);
  }

  /** Packs a template's kernel and sparse disk; skips the test where none was built. */
  static Path template(Path directory) throws Exception {
    String from = System.getenv("RAMET_TEST_TEMPLATE");
    if (from == null) {
      String required = Objects.requireNonNullElse(System.getenv("RAMET_REQUIRE"), "");
      assertFalse(
          List.of(required.split(",", -1)).contains("template"),
          "RAMET_TEST_TEMPLATE names no template");
      Assumptions.abort("RAMET_TEST_TEMPLATE names no template");
    }
    Path template = Path.of(from);
    String arguments =
        new ObjectMapper()
            .readTree(template.resolve("template.json").toFile())
            .get("cmdline")
            .asText();
    Files.writeString(directory.resolve("cmdline"), arguments);
    Path archive = directory.resolve("template.tar.gz");
    List<String> pack = new ArrayList<>(List.of("tar", "--sparse", "-czf", "" + archive));
    pack.addAll(List.of("-C", "" + template, "kernel", "initrd", "rootfs.raw"));
    pack.addAll(List.of("-C", "" + directory, "cmdline"));
    run(pack);
    return archive;
  }
}
