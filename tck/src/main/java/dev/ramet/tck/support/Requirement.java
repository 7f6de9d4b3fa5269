// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.support;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * What a check needs of its host or harness. Where it is missing the check is aborted, unless the
 * environment variable {@code RAMET_REQUIRE} (names separated by commas, or {@code tck} for all
 * that harnesses give) says that it must be there: then the check fails. So nothing is left out
 * unseen.
 */
public final class Requirement {
  private static final String ALL = "tck";

  private Requirement() {}

  /** Something that the harness or its place gives. */
  public static void of(String name, boolean present, String missing) {
    check(present, required().contains(ALL), name, missing);
  }

  /** A part of a kernel that hosts may lack, whatever the harness gives. */
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
