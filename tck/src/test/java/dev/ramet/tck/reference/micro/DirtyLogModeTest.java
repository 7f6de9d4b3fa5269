// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference.micro;

import dev.ramet.spi.memory.MemoryModeProvider;
import dev.ramet.tck.MemoryModeTck;

/** The memory mode keeps the contract. */
class DirtyLogModeTest extends MemoryModeTck {
  @Override
  protected MemoryModeProvider provider() {
    return new DirtyLogModeProvider();
  }
}
