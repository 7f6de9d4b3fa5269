// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck;

import dev.ramet.spi.memory.MemoryModeProvider;

/** The reference mode keeps the contract. */
class ReferenceModeTest extends MemoryModeTck {
  @Override
  protected MemoryModeProvider provider() {
    return new ReferenceModeProvider(ReferenceMode::new);
  }
}
