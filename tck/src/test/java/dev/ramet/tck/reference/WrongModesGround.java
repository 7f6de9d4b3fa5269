// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.spi.memory.MemoryFeature;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryModeProvider;
import dev.ramet.tck.MemoryModeTck;
import java.util.Set;

/** Ground for wrong memory modes, each of which the kit must find. */
abstract class WrongModesGround {
  abstract static class Wrong extends MemoryModeTck {
    abstract MemoryMode mode();

    Set<MemoryFeature> stated() {
      return Set.of(MemoryFeature.SINCE_RESTORE, MemoryFeature.SINCE_CAPTURE);
    }

    @Override
    protected MemoryModeProvider provider() {
      return new ReferenceModeProvider(this::mode, stated());
    }
  }
}
