// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import static dev.ramet.tck.memory.TrackedProcess.PAGE;
import static dev.ramet.tck.memory.TrackedProcess.PRESENT;
import static dev.ramet.tck.memory.TrackedProcess.SWAPPED;

import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import dev.ramet.tck.MemoryModeTck;
import dev.ramet.tck.memory.MemoryWorld;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Checks that the kit finds modes that misread memory which is absent, large or in swap. */
final class WrongMemoryTest extends WrongModesGround {
  @Test
  void missesWhatIsInSwap() {
    Failures.expect(
        MissesSwap.class, MemoryModeTck.Host.class, "swappedPages", "then swapped out; the");
  }

  static class MissesSwap extends Wrong {
    @Override
    MemoryMode mode() {
      return new ReferenceMode() {
        @Override
        boolean holds(long entry, MemoryRegion.Kind kind) {
          return (entry & SWAPPED) == 0 && super.holds(entry, kind);
        }
      };
    }
  }

  @Test
  void takesPagesThatWereNotFetchedForZeros() {
    Failures.expect(
        TakesUnfetchedForZeros.class,
        MemoryModeTck.Faulted.class,
        "pagesThatNobodyTouched",
        "the selection takes it for zeros");
  }

  static class TakesUnfetchedForZeros extends Wrong {
    @Override
    MemoryMode mode() {
      return new ReferenceMode() {
        @Override
        public MemoryTracker attach(GuestMemory memory) {
          return new Tracker(memory);
        }

        @Override
        void check(GuestMemory memory) {}

        @Override
        void absent(long offset, MemoryRegion region, boolean was, PageRanges.Builder into) {
          into.zero(offset, PAGE);
        }
      };
    }
  }

  @Test
  void takesHolesOfTheImageForZeros() {
    Failures.expect(
        TakesHolesForZeros.class,
        MemoryModeTck.Writes.class,
        "pagesWhereTheImageHasAHole",
        "page 100 was lost: image, written by the process; the selection leaves it out");
  }

  /** Even if something was written there since. */
  static class TakesHolesForZeros extends Wrong {
    @Override
    MemoryMode mode() {
      return new ReferenceMode() {
        private boolean inHole(long page) {
          return page >= MemoryWorld.HOLE && page < MemoryWorld.HOLE + MemoryWorld.HOLE_PAGES;
        }

        @Override
        boolean changed(long page, byte @Nullable [] before, byte[] now) {
          return !inHole(page) && super.changed(page, before, now);
        }
      };
    }
  }

  @Test
  void takesAbsentMemoryForUnchanged() {
    Failures.expect(
        AbsentIsUnchanged.class,
        MemoryModeTck.Discards.class,
        "discardedAnonymousMemoryIsZero",
        "anonymous memory, replaced by anonymous memory; the selection leaves it out");
    Failures.expect(
        AbsentIsUnchanged.class,
        MemoryModeTck.Layouts.class,
        "partsThatBecameAnonymous",
        "replaced by anonymous memory");
  }

  static class AbsentIsUnchanged extends Wrong {
    @Override
    MemoryMode mode() {
      return new ReferenceMode() {
        @Override
        void absent(long offset, MemoryRegion region, boolean was, PageRanges.Builder into) {}
      };
    }
  }

  @Test
  void takesAbsentMemoryForZeros() {
    Failures.expect(
        AbsentIsZero.class,
        MemoryModeTck.Writes.class,
        "whatWasWritten",
        "not touched since the restore; the selection takes it for zeros");
  }

  static class AbsentIsZero extends Wrong {
    @Override
    MemoryMode mode() {
      return new ReferenceMode() {
        @Override
        void absent(long offset, MemoryRegion region, boolean was, PageRanges.Builder into) {
          into.zero(offset, PAGE);
        }
      };
    }
  }

  @Test
  void countsBytesInNumbersThatAreTooSmall() {
    Failures.expect(
        Truncates.class,
        MemoryModeTck.Layouts.class,
        "memoryAboveFourGibibytes",
        "offsets in memory are 64-bit numbers");
  }

  static class Truncates extends Wrong {
    @Override
    MemoryMode mode() {
      return new ReferenceMode() {
        @Override
        boolean changed(long page, byte @Nullable [] before, byte[] now) {
          return page == (int) (page * PAGE) >>> 12 && super.changed(page, before, now);
        }
      };
    }
  }

  @Test
  void skipsMemoryThatIsNotMapped() {
    Failures.expect(
        SkipsGaps.class,
        MemoryModeTck.Layouts.class,
        "aPartThatIsGoneIsRefused",
        "a part of the memory is not mapped: refuse it");
  }

  static class SkipsGaps extends Wrong {
    @Override
    MemoryMode mode() {
      return new ReferenceMode() {
        @Override
        void check(GuestMemory memory) {}
      };
    }
  }

  @Test
  void takesMemoryThatItCannotFollow() {
    Failures.expect(
        TakesAnything.class,
        MemoryModeTck.Capabilities.class,
        "sharedMemory",
        "shared memory must be refused where 'any-memory' is not stated");
  }

  static class TakesAnything extends Wrong {
    @Override
    MemoryMode mode() {
      return new ReferenceMode() {
        @Override
        public MemoryTracker attach(GuestMemory memory) {
          return new Tracker(memory);
        }
      };
    }
  }

  @Test
  void looksAtWhatIsInMemoryAlone() {
    Failures.expect(
        PresentMeansChanged.class,
        MemoryModeTck.Capabilities.class,
        "selectionsAreRelativeToTheRestoreImage",
        "three pages were written since the restore; select these");
  }

  static class PresentMeansChanged extends Wrong {
    @Override
    MemoryMode mode() {
      return new ReferenceMode() {
        @Override
        boolean holds(long entry, MemoryRegion.Kind kind) {
          return (entry & (PRESENT | SWAPPED)) != 0;
        }
      };
    }
  }
}
