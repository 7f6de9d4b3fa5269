// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import dev.ramet.spi.memory.MemoryModeProvider;
import dev.ramet.tck.MemoryModeTck;
import org.junit.jupiter.api.condition.EnabledIf;

/** Mode {@code soft-dirty} keeps the contract, on kernels that can do it. */
@EnabledIf("asked")
class SoftDirtyTckTest extends MemoryModeTck {
  static boolean asked() {
    return Kernels.canOrMust(new SoftDirtyProvider());
  }

  @Override
  protected MemoryModeProvider provider() {
    return new SoftDirtyProvider();
  }
}
