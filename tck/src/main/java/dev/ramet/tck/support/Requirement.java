// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.support;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * A prerequisite of a check that its host or harness must provide. If it is missing, the check is
 * aborted, or fails if the environment variable {@code RAMET_REQUIRE} (names separated by commas,
 * or {@code tck} for everything that harnesses provide) names it. So no check is skipped unnoticed.
 */
public final class Requirement {
  private static final String ALL = "tck";

  private Requirement() {}

  /** Requires something that the harness or its place provides. */
  public static void of(String name, boolean present, String missing) {
    check(present, required().contains(ALL), name, missing);
  }

  /** Requires a kernel feature that hosts may lack, whatever the harness provides. */
  public static void ofKernel(String name, boolean present, String missing) {
    check(present, false, name, missing);
  }

  private static void check(boolean present, boolean all, String name, String missing) {
    if (present) {
      return;
    }
    if (all || required().contains(name)) {
      Assertions.fail(name + " is required here: " + missing);
    }
    Assumptions.abort(name + ": " + missing);
  }

  private static List<String> required() {
    return Arrays.asList(System.getenv().getOrDefault("RAMET_REQUIRE", "").split(",", -1));
  }
}
