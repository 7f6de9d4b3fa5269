// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.spi.memory.MemoryModeProvider;
import dev.ramet.tck.MemoryModeTck;

/** The reference mode keeps the contract. */
class ReferenceModeTest extends MemoryModeTck {
  @Override
  protected MemoryModeProvider provider() {
    return new ReferenceModeProvider(ReferenceMode::new);
  }
}
