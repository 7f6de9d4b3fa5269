// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.memory.MemoryModeProvider;
import java.nio.file.Path;
import java.util.Arrays;

/** The features of this host's kernel. */
final class Kernels {
  private Kernels() {}

  /**
   * Returns whether a mode's tests run here: where its probe says so, and where {@code
   * RAMET_REQUIRE} names it, in which case they fail if it does not.
   */
  static boolean canOrMust(MemoryModeProvider provider) {
    Path directory = Path.of(System.getProperty("java.io.tmpdir"));
    return required(provider)
        || provider.probe(new ProbeContext(directory)) instanceof ProbeResult.Usable;
  }

  /** Returns whether {@code RAMET_REQUIRE} names a mode. */
  static boolean required(MemoryModeProvider provider) {
    var required = Arrays.asList(System.getenv().getOrDefault("RAMET_REQUIRE", "").split(",", -1));
    return required.contains(provider.id());
  }
}
