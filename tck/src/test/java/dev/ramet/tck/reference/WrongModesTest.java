// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryFeature;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import dev.ramet.tck.MemoryModeTck;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests that the kit detects faults of a memory mode and says which page is lost, and how. */
final class WrongModesTest extends WrongModesGround {
  @Test
  void trustsSoftDirtyBitsBlindly() {
    Failures.expect(
        TrustsSoftDirty.class,
        MemoryModeTck.Discards.class,
        "discardedPagesHoldTheImageAgain",
        "page 8 was lost: image, discarded (MADV_DONTNEED); the selection leaves it out");
  }

  /** Checks neither whether the kernel keeps such bits, nor what was discarded. */
  static class TrustsSoftDirty extends Wrong {
    private static final long SOFT_DIRTY = 1L << 55;

    @Override
    MemoryMode mode() {
      return new ReferenceMode() {
        private boolean reset;

        @Override
        boolean holds(long entry, MemoryRegion.Kind kind) {
          return super.holds(entry, kind) && (!reset || (entry & SOFT_DIRTY) != 0);
        }

        @Override
        void absent(long offset, MemoryRegion region, boolean was, PageRanges.Builder into) {}

        @Override
        boolean changed(long page, byte @Nullable [] before, byte[] now) {
          return true;
        }

        @Override
        public MemoryTracker attach(GuestMemory memory) {
          return new Tracker(memory) {
            @Override
            public void committed() {
              super.committed();
              Path control = Path.of("/proc", Long.toString(memory.pid()), "clear_refs");
              try {
                Files.writeString(control, "4");
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
              reset = true;
            }
          };
        }
      };
    }
  }

  @Test
  void forgetsToArmAgain() {
    Failures.expect(
        NeverRearms.class,
        MemoryModeTck.Writes.class,
        "pagesThatWereWrittenAgainAfterACapture",
        "one byte written by the process; the selection leaves it out, relative to"
            + " PREVIOUS_CAPTURE after a commit");
  }

  static class NeverRearms extends Wrong {
    @Override
    MemoryMode mode() {
      return new ReferenceMode() {
        private final Set<Long> seen = new HashSet<>();

        @Override
        boolean changed(long page, byte @Nullable [] before, byte[] now) {
          return seen.add(page);
        }
      };
    }
  }

  @Test
  void armsBeforeThePagesAreSafe() {
    Failures.expect(
        ArmsInSelect.class,
        MemoryModeTck.Lives.class,
        "whatAFailedCaptureSelectedIsSelectedAgain",
        "the selection leaves it out");
  }

  static class ArmsInSelect extends Wrong {
    @Override
    MemoryMode mode() {
      return new ReferenceMode() {
        @Override
        public MemoryTracker attach(GuestMemory memory) {
          return new Tracker(memory) {
            @Override
            public PageRanges select(GuestMemory now) {
              PageRanges ranges = super.select(now);
              if (previous != null) {
                previous = selected;
              }
              return ranges;
            }
          };
        }
      };
    }
  }

  @Test
  void statesMoreThanItDoes() {
    Failures.expect(
        AlwaysSinceRestore.class,
        MemoryModeTck.Capabilities.class,
        "selectionsAreRelativeToThePreviousCapture",
        "100 pages were selected to be copied, of which 0 may be");
  }

  static class AlwaysSinceRestore extends Wrong {
    @Override
    MemoryMode mode() {
      return new ReferenceMode() {
        @Override
        boolean changed(long page, byte @Nullable [] before, byte[] now) {
          return true;
        }
      };
    }
  }

  @Test
  void statesLessThanItDoes() {
    Failures.expect(
        StatesNothing.class,
        MemoryModeTck.Capabilities.class,
        "selectionsAreRelativeToThePreviousCapture",
        "must be what the probe says of 'since-capture'");
    Failures.expect(
        StatesNothing.class,
        MemoryModeTck.Capabilities.class,
        "selectionsAreRelativeToTheRestoreImage",
        "the probe states 'since-restore': false");
  }

  static class StatesNothing extends Wrong {
    @Override
    MemoryMode mode() {
      return new ReferenceMode();
    }

    @Override
    Set<MemoryFeature> stated() {
      return Set.of();
    }
  }

  @Test
  void buildsOnACaptureThatWasNot() {
    Failures.expect(
        BuildsOnNothing.class,
        MemoryModeTck.Writes.class,
        "scatteredPages",
        "baseline() is PREVIOUS_CAPTURE and there was none");
  }

  static class BuildsOnNothing extends Wrong {
    @Override
    MemoryMode mode() {
      return new ReferenceMode() {
        @Override
        public MemoryTracker attach(GuestMemory memory) {
          return new Tracker(memory) {
            @Override
            public Baseline baseline() {
              return Baseline.PREVIOUS_CAPTURE;
            }
          };
        }
      };
    }
  }
}
