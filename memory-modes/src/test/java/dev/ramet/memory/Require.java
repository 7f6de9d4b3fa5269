// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import java.util.Arrays;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/** What a test needs of its host: absent features abort it, unless the run insists on them. */
final class Require {
  private Require() {}

  static void feature(String name, boolean present, String what) {
    String required = System.getenv().getOrDefault("RAMET_REQUIRE", "");
    if (!present && Arrays.asList(required.split(",", -1)).contains(name)) {
      Assertions.fail("required feature " + name + " is missing: " + what);
    }
    Assumptions.assumeTrue(present, what);
  }

  static void root() {
    feature("root", "root".equals(System.getProperty("user.name")), "needs root");
  }
}
