// SPDX-License-Identifier: Apache-2.0
package dev.ramet.testing;

import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * Checks what a test needs of its host. A missing feature aborts the test, unless {@code
 * RAMET_REQUIRE} (names separated by commas) says that this host must have it: then the test fails.
 */
public final class Require {
  private Require() {}

  /** States whether the host has a feature, and stops the test if not. */
  public static void feature(String name, boolean present, String missing) {
    if (present) {
      return;
    }
    if (isRequired(name)) {
      Assertions.fail(name + " is required on this host: " + missing);
    }
    Assumptions.abort(name + ": " + missing);
  }

  /**
   * Returns whether this host must have a feature; for tests that can do without and then prove
   * less.
   */
  public static boolean isRequired(String name) {
    String required = System.getenv().getOrDefault("RAMET_REQUIRE", "");
    return List.of(required.split(",")).contains(name);
  }

  /** The test mounts file systems or sets owners. */
  public static void root() {
    feature("root", "root".equals(System.getProperty("user.name")), "not run as root");
  }
}
