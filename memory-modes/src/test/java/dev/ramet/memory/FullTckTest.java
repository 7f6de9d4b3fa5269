// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import dev.ramet.spi.memory.MemoryModeProvider;
import dev.ramet.tck.MemoryModeTck;

/** Mode {@code full} keeps the contract. */
class FullTckTest extends MemoryModeTck {
  @Override
  protected MemoryModeProvider provider() {
    return new FullProvider();
  }
}
