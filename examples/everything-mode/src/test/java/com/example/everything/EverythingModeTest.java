// SPDX-License-Identifier: Apache-2.0
package com.example.everything;

import dev.ramet.spi.memory.MemoryModeProvider;
import dev.ramet.tck.MemoryModeTck;

/** Runs the whole contract, against a process whose memory changes on command. */
class EverythingModeTest extends MemoryModeTck {
  @Override
  protected MemoryModeProvider provider() {
    return new EverythingProvider();
  }
}
