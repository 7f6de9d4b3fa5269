// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.guard;

import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.LiveTracker;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import org.jspecify.annotations.Nullable;

/**
 * Guards a memory mode, see {@link Guard}.
 *
 * @param mode the plugin's memory mode
 * @param guard names the plugin
 */
record GuardedMemoryMode(MemoryMode mode, Guard guard) implements MemoryMode {
  @Override
  public MemoryTracker attach(GuestMemory memory) {
    try {
      MemoryTracker tracker = guard.requireNonNull("attach", mode.attach(memory));
      return tracker instanceof LiveTracker live
          ? new Live(live, new Tracker(live, guard))
          : new Tracker(tracker, guard);
    } catch (Throwable e) {
      throw guard.failed("attach", e);
    }
  }

  @Override
  public void close() {
    try {
      mode.close();
    } catch (Throwable e) {
      throw guard.failed("close", e);
    }
  }

  private record Tracker(MemoryTracker tracker, Guard guard) implements MemoryTracker {
    @Override
    public Baseline baseline() {
      try {
        return guard.requireNonNull("baseline", tracker.baseline());
      } catch (Throwable e) {
        throw guard.failed("baseline", e);
      }
    }

    @Override
    public PageRanges select(GuestMemory memory) {
      try {
        return requireWithin(memory, "select", tracker.select(memory));
      } catch (Throwable e) {
        throw guard.failed("select", e);
      }
    }

    PageRanges requireWithin(GuestMemory memory, String call, @Nullable PageRanges answer) {
      PageRanges ranges = guard.requireNonNull(call, answer);
      int last = ranges.count() - 1;
      // The ranges ascend, so checking both ends is enough. The machine is paused: more checks
      // would take its time.
      if (last >= 0
          && (ranges.imageOffset(0) < 0
              || ranges.imageOffset(last) + ranges.lengthBytes(last) > memory.imageSizeBytes())) {
        throw guard.contractViolation(call, "pages outside of the memory image");
      }
      return ranges;
    }

    @Override
    public void committed() {
      try {
        tracker.committed();
      } catch (Throwable e) {
        throw guard.failed("committed", e);
      }
    }

    @Override
    public void close() {
      try {
        tracker.close();
      } catch (Throwable e) {
        throw guard.failed("close", e);
      }
    }
  }

  /**
   * Guards a tracker that can select while the machine runs.
   *
   * @param live the plugin's tracker
   * @param tracker the same tracker, guarded, for the calls that every tracker has
   */
  private record Live(LiveTracker live, Tracker tracker) implements LiveTracker {
    @Override
    public void startOver() {
      try {
        live.startOver();
      } catch (Throwable e) {
        throw tracker.guard().failed("startOver", e);
      }
    }

    @Override
    public PageRanges selectRunning(GuestMemory memory) {
      try {
        return tracker.requireWithin(memory, "selectRunning", live.selectRunning(memory));
      } catch (Throwable e) {
        throw tracker.guard().failed("selectRunning", e);
      }
    }

    @Override
    public void copied() {
      try {
        live.copied();
      } catch (Throwable e) {
        throw tracker.guard().failed("copied", e);
      }
    }

    @Override
    public Baseline baseline() {
      return tracker.baseline();
    }

    @Override
    public PageRanges select(GuestMemory memory) {
      return tracker.select(memory);
    }

    @Override
    public void committed() {
      tracker.committed();
    }

    @Override
    public void close() {
      tracker.close();
    }
  }
}
