// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import static dev.ramet.tck.memory.TrackedProcess.SWAPPED;

import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryFeature;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import dev.ramet.tck.MemoryModeTck;
import dev.ramet.tck.memory.TrackedProcess;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests that the kit detects faults of rounds before the pause. */
class WrongLiveModesTest extends WrongModesGround {
  @Test
  void forgetsWhatAFailedCaptureHadCopied() {
    Failures.expect(
        NeverStartsOver.class,
        MemoryModeTck.Live.class,
        "theNextCaptureStartsOver",
        "the selection leaves it out");
  }

  static class NeverStartsOver extends WrongRounds {
    @Override
    MemoryTracker rounds(LiveReferenceMode mode, GuestMemory memory) {
      return mode.new Live(memory) {
        @Override
        public void startOver() {}
      };
    }
  }

  @Test
  void takesWhatWasSelectedForCopied() {
    Failures.expect(
        CopiesAtOnce.class,
        MemoryModeTck.Live.class,
        "roundsThatWereNotCopiedCountForNothing",
        "the selection leaves it out");
  }

  static class CopiesAtOnce extends WrongRounds {
    @Override
    MemoryTracker rounds(LiveReferenceMode mode, GuestMemory memory) {
      return mode.new Live(memory) {
        @Override
        public PageRanges selectRunning(GuestMemory now) {
          PageRanges ranges = super.selectRunning(now);
          copied();
          return ranges;
        }
      };
    }
  }

  @Test
  void takesThePagesOfARoundForDone() {
    Failures.expect(
        OnceIsEnough.class,
        MemoryModeTck.Live.class,
        "whatIsWrittenAfterARoundIsSelectedAgain",
        "the selection leaves it out");
  }

  /** Looks again in the pause, and leaves out every page that a round has copied. */
  static class OnceIsEnough extends WrongRounds {
    @Override
    MemoryTracker rounds(LiveReferenceMode mode, GuestMemory memory) {
      return mode.new Live(memory) {
        @Override
        public PageRanges select(GuestMemory now) {
          PageRanges ranges = super.select(now);
          PageRanges.Builder fresh = new PageRanges.Builder();
          for (int i = 0; i < ranges.count(); i++) {
            long page = ranges.imageOffset(i) / TrackedProcess.PAGE;
            if (copied == null || !copied.held.containsKey(page)) {
              fresh.copy(ranges.imageOffset(i), ranges.address(i), ranges.lengthBytes(i));
            }
          }
          return fresh.build();
        }
      };
    }
  }

  @Test
  void selectsEverythingAgain() {
    Failures.expect(
        NeverCopied.class,
        MemoryModeTck.Live.class,
        "thePauseIsLeftWithWhatWasWrittenSince",
        "pages were selected to be copied, of which 2 may be");
  }

  static class NeverCopied extends WrongRounds {
    @Override
    MemoryTracker rounds(LiveReferenceMode mode, GuestMemory memory) {
      return mode.new Live(memory) {
        @Override
        public void copied() {}
      };
    }
  }

  @Test
  void missesWhatIsInSwapWhereNothingIsDiscarded() {
    Failures.expect(
        MissesSwap.class, MemoryModeTck.KeptHost.class, "swappedPages()", "then swapped out; the");
    Failures.expect(
        MissesSwap.class,
        MemoryModeTck.KeptHost.class,
        "swappedPagesWhereTheImageHasAHole",
        "then swapped out; the");
    Failures.expect(
        MissesSwap.class,
        MemoryModeTck.Live.class,
        "swappedPagesBetweenRounds",
        "then swapped out; the");
    Failures.expect(
        MissesSwap.class,
        MemoryModeTck.Live.class,
        "historiesOfPagesInSwap",
        "then swapped out; the");
  }

  /** Correct for memory that may be discarded. */
  static class MissesSwap extends WrongLive {
    @Override
    MemoryMode mode() {
      return new LiveReferenceMode() {
        private boolean kept;

        @Override
        public MemoryTracker attach(GuestMemory memory) {
          kept = !memory.discards();
          return super.attach(memory);
        }

        @Override
        boolean holds(long entry, MemoryRegion.Kind kind) {
          return !(kept && (entry & SWAPPED) != 0) && super.holds(entry, kind);
        }
      };
    }
  }

  @Test
  void statesLessOrMoreThanItDoes() {
    Failures.expect(
        StatesLess.class,
        MemoryModeTck.Live.class,
        "whoeverStatesItCanDoIt",
        "must be what the probe says of 'live'");
    Failures.expect(
        StatesMore.class,
        MemoryModeTck.Live.class,
        "whoeverStatesItCanDoIt",
        "must be what the probe says of 'live'");
  }

  static class StatesLess extends WrongLive {
    @Override
    MemoryMode mode() {
      return new LiveReferenceMode();
    }

    @Override
    Set<MemoryFeature> stated() {
      return Set.of(MemoryFeature.SINCE_RESTORE, MemoryFeature.SINCE_CAPTURE);
    }
  }

  static class StatesMore extends WrongLive {
    @Override
    MemoryMode mode() {
      return new ReferenceMode();
    }
  }
}
