// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

import dev.ramet.engine.StepObserver;
import dev.ramet.engine.machine.AlreadyPausedVm;
import dev.ramet.engine.pages.PageCapture;
import dev.ramet.engine.tracking.TrackerSlot;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.LiveTracker;
import dev.ramet.spi.memory.PageRanges;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.Settings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Pre-copies written pages while the machine runs, in rounds, so that the pause only has to read
 * pages written since the last round began. Used by one thread, for one capture.
 */
public final class PreCopier {
  /** The largest number of rounds. */
  public static final Setting<Integer> ROUNDS =
      Setting.number(
              "ramet.precopy-rounds",
              0,
              100,
              "Most rounds of pre-copy before a pause; 0 turns pre-copy off. Each round copies the"
                  + " pages written since the last one while the guest runs. Rounds go on while"
                  + " they shorten the pause, and need a memory mode that can track a running"
                  + " guest.")
          .byDefault(5)
          .in("rounds");

  /** The most bytes to copy. */
  public static final Setting<Long> BYTES =
      Setting.size(
              "ramet.precopy-bytes", "bytes", "Most bytes that pre-copy copies before a pause.")
          .orElse("twice the guest's memory")
          .like("2147483648");

  /** The longest time to spend. */
  public static final Setting<Duration> TIME =
      Setting.duration(
          "ramet.precopy-time",
          Duration.ofSeconds(30),
          "Longest time that pre-copy takes before a pause.");

  /** Reading this much takes a fraction of a millisecond, less than a round would save. */
  static final long NOT_WORTH_A_ROUND_BYTES = 1 << 20;

  private final Settings settings;
  private final StepObserver steps;
  private int rounds;
  private long bytes;
  private @Nullable GuestMemory located;

  PreCopier(Settings settings, StepObserver steps) {
    this.settings = settings;
    this.steps = steps;
  }

  /** Returns the number of rounds, including one that was cut short. */
  int rounds() {
    return rounds;
  }

  /** Returns the bytes copied by all rounds. */
  long bytes() {
    return bytes;
  }

  /** Returns the memory location that was looked up, or null if none was. */
  @Nullable GuestMemory located() {
    return located;
  }

  /**
   * Copies as long as it pays off: until a round finds hardly anything, or more than half as much
   * as the previous one, or a bound is reached. Does nothing if the tracker cannot select while the
   * machine runs, or the machine is paused.
   *
   * @throws PausedSection.ModeUnfit if the tracker cannot tell which pages must be read
   */
  void copy(RunningVm vm, TrackerSlot.Use tracker, PageCapture pages)
      throws PausedSection.ModeUnfit {
    LiveTracker live = tracker.liveTracker();
    int mostRounds = settings.get(ROUNDS);
    if (live == null || vm instanceof AlreadyPausedVm || mostRounds == 0) {
      return;
    }
    long deadline = System.nanoTime() + settings.get(TIME).toNanos();
    GuestMemory memory = vm.memory();
    located = memory;
    long most = settings.find(BYTES).orElseGet(() -> 2 * memory.imageSizeBytes());
    long before = Long.MAX_VALUE;
    while (rounds < mostRounds && System.nanoTime() - deadline < 0) {
      steps.before("snapshot.precopy");
      PageRanges ranges = PausedSection.orUnfit(() -> tracker.selectRunning(live, memory));
      long found = ranges.copyBytes() + ranges.zeroBytes();
      boolean pays = found > NOT_WORTH_A_ROUND_BYTES && found <= before / 2;
      if (!pays || found > most - bytes) {
        return; // leave the pages found to the pause
      }
      rounds++;
      long copied = pages.copyWhileRunning(memory.pid(), ranges, deadline);
      bytes += copied;
      if (copied < found) {
        return; // out of time: the pause reads all pages of this round again
      }
      live.copied();
      before = found;
    }
  }
}
