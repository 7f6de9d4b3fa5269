// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.machine.AlreadyPausedVm;
import dev.ramet.engine.pages.PageCapture;
import dev.ramet.engine.tracking.Tracking;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.LiveTracker;
import dev.ramet.spi.memory.PageRanges;
import org.jspecify.annotations.Nullable;

/**
 * Copies written pages while the machine runs, in rounds, so that its pause is left with what was
 * written since the last round began. Used by one thread, for one capture.
 */
final class PreCopier {
  /** Reading as much takes a fraction of a millisecond, which a round would not save. */
  static final long NOT_WORTH_A_ROUND_BYTES = 1 << 20;

  private final EngineConfig.PreCopy bounds;
  private final EngineConfig.Steps steps;
  private int rounds;
  private long bytes;
  private @Nullable GuestMemory located;

  PreCopier(EngineConfig.PreCopy bounds, EngineConfig.Steps steps) {
    this.bounds = bounds;
    this.steps = steps;
  }

  /** How many rounds there were, with one that was ended in the middle. */
  int rounds() {
    return rounds;
  }

  /** What they copied. */
  long bytes() {
    return bytes;
  }

  /** Where the machine's memory was when that was looked up; null when it was not. */
  @Nullable GuestMemory located() {
    return located;
  }

  /**
   * Copies while it pays off: until a round finds hardly anything, or not much less than the one
   * before, or a bound is reached. Does nothing where the tracker cannot select while the machine
   * runs, or the machine stands still.
   *
   * @throws PausedSection.ModeUnfit when the tracker cannot tell what must be read
   */
  void copy(RunningVm vm, Tracking.Use tracker, PageCapture pages) throws PausedSection.ModeUnfit {
    LiveTracker live = tracker.live();
    if (live == null || vm instanceof AlreadyPausedVm || bounds.rounds() == 0) {
      return;
    }
    long deadline = System.nanoTime() + bounds.time().toNanos();
    GuestMemory memory = vm.memory();
    located = memory;
    long most = bounds.bytes() == 0 ? 2 * memory.imageSizeBytes() : bounds.bytes();
    long before = Long.MAX_VALUE;
    while (rounds < bounds.rounds() && System.nanoTime() - deadline < 0) {
      steps.before("snapshot.precopy");
      PageRanges ranges = PausedSection.orUnfit(() -> tracker.selectRunning(live, memory));
      long found = ranges.copyBytes() + ranges.zeroBytes();
      boolean pays = found > NOT_WORTH_A_ROUND_BYTES && found <= before / 2;
      if (!pays || found > most - bytes) {
        return; // What was found is left to the pause.
      }
      rounds++;
      long copied = pages.copyWhileRunning(memory.pid(), ranges, deadline);
      bytes += copied;
      if (copied < found) {
        return; // Out of time in the middle: all of this round is read again in the pause.
      }
      live.copied();
      before = found;
    }
  }
}
