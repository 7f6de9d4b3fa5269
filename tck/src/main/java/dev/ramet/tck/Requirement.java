// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck;

import java.util.Arrays;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * What a check needs of its host or harness. Where it is missing the check is aborted, unless the
 * environment variable {@code RAMET_REQUIRE} (names separated by commas, or {@code tck} for all of
 * the kit's) says that it must be there: then the check fails. So nothing is left out unseen.
 */
final class Requirement {
  private static final String ALL = "tck";

  private Requirement() {}

  static void of(String name, boolean present, String missing) {
    if (present) {
      return;
    }
    var required = Arrays.asList(System.getenv().getOrDefault("RAMET_REQUIRE", "").split(",", -1));
    if (required.contains(name) || required.contains(ALL)) {
      Assertions.fail(name + " is required here: " + missing);
    }
    Assumptions.abort(name + ": " + missing);
  }
}
