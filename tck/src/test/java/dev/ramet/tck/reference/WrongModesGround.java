// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryFeature;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryModeProvider;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.tck.MemoryModeTck;
import java.util.Set;

/** Ground for wrong memory modes, each of which the kit must find. */
abstract class WrongModesGround {
  abstract static class Wrong extends MemoryModeTck {
    abstract MemoryMode mode();

    /** Returns the features that its probe states. */
    Set<MemoryFeature> stated() {
      return Set.of(MemoryFeature.SINCE_RESTORE, MemoryFeature.SINCE_CAPTURE);
    }

    @Override
    protected MemoryModeProvider provider() {
      return new ReferenceModeProvider(this::mode, stated());
    }
  }

  /** A mode with rounds before the pause. */
  abstract static class WrongLive extends Wrong {
    @Override
    Set<MemoryFeature> stated() {
      return Set.of(MemoryFeature.SINCE_RESTORE, MemoryFeature.SINCE_CAPTURE, MemoryFeature.LIVE);
    }
  }

  /** A mode whose rounds before the pause differ from the reference's. */
  abstract static class WrongRounds extends WrongLive {
    /** Returns the tracker for memory that nobody discards. */
    abstract MemoryTracker rounds(LiveReferenceMode mode, GuestMemory memory);

    @Override
    MemoryMode mode() {
      return new LiveReferenceMode() {
        @Override
        public MemoryTracker attach(GuestMemory memory) {
          return memory.discards() ? super.attach(memory) : rounds(this, memory);
        }
      };
    }
  }
}
