// SPDX-License-Identifier: Apache-2.0
package dev.ramet.testing;

import java.nio.file.Files;
import java.nio.file.Path;

/** Kernel features that some hosts lack; see {@link Require} for the consequences. */
public final class Features {
  private Features() {}

  /** The test makes device-mapper devices. Listed in {@code RAMET_REQUIRE} as {@code dm}. */
  public static void deviceMapper() {
    Require.root();
    Require.feature(
        "dm",
        Files.exists(Path.of("/sys/class/misc/device-mapper")),
        "this kernel has no device-mapper");
  }
}
