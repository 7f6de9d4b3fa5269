// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What tests need of the machine they run on. */
final class Host {
  private Host() {}

  /** Goes on only where the program is; where RAMET_REQUIRE lists the feature it has to be. */
  static void needs(String feature, String program) {
    for (String dir : System.getenv().getOrDefault("PATH", "").split(":", -1)) {
      if (!dir.isEmpty() && Files.isExecutable(Path.of(dir, program))) {
        return;
      }
    }
    absent(feature, program + " is missing");
  }

  /** The directory that an environment variable names; the same rule. */
  static Path directory(String feature, String variable) {
    String value = System.getenv(variable);
    if (value == null) {
      absent(feature, variable + " is not set");
    }
    return Path.of(String.valueOf(value));
  }

  /** Mounts a small file system, which takes root. */
  static void mountTmpfs(Path at, String size) throws IOException, InterruptedException {
    if (run("mount", "-t", "tmpfs", "-o", "size=" + size, "ramet-test", at.toString()) != 0) {
      absent("root", "tmpfs cannot be mounted");
    }
  }

  static int run(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command).inheritIO().start().waitFor();
  }

  private static void absent(String feature, String what) {
    String required = System.getenv().getOrDefault("RAMET_REQUIRE", "");
    if (List.of(required.split(",", -1)).contains(feature)) {
      fail(what + ", and RAMET_REQUIRE lists " + feature);
    }
    abort(what);
  }
}
