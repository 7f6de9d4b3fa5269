// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

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
    String required = System.getenv().getOrDefault("RAMET_REQUIRE", "");
    if (List.of(required.split(",", -1)).contains(feature)) {
      fail(program + " is missing, and RAMET_REQUIRE lists " + feature);
    }
    abort(program + " is missing");
  }
}
