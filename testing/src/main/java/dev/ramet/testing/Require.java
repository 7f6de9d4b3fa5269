// SPDX-License-Identifier: Apache-2.0
package dev.ramet.testing;

import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * Checks what a test needs of its host. A missing feature aborts the test, unless {@code
 * RAMET_REQUIRE} (names separated by commas) says that this host must have it: then the test fails.
 * {@code RAMET_LEAVE_OUT} names features whose tests are skipped even if the host has them, to save
 * time.
 */
public final class Require {
  private Require() {}

  /** States whether the host has a feature, and stops the test if not. */
  public static void feature(String name, boolean present, String missing) {
    if (names("RAMET_LEAVE_OUT").contains(name)) {
      Assumptions.abort(name + " is left out");
    }
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
    return names("RAMET_REQUIRE").contains(name);
  }

  private static List<String> names(String variable) {
    return List.of(System.getenv().getOrDefault(variable, "").split(","));
  }

  /** The test mounts file systems or sets owners. */
  public static void root() {
    feature("root", "root".equals(System.getProperty("user.name")), "not run as root");
  }
}
