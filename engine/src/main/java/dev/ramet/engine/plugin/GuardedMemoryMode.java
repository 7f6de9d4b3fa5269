// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.plugin;

import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;

/**
 * A memory mode that keeps its contract towards the engine, see {@link Guard}.
 *
 * @param mode what does it
 * @param guard names it
 */
record GuardedMemoryMode(MemoryMode mode, Guard guard) implements MemoryMode {
  @Override
  public MemoryTracker attach(GuestMemory memory) {
    try {
      return new Tracker(guard.present("attach", mode.attach(memory)), guard);
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
        return guard.present("baseline", tracker.baseline());
      } catch (Throwable e) {
        throw guard.failed("baseline", e);
      }
    }

    @Override
    public PageRanges select(GuestMemory memory) {
      try {
        PageRanges ranges = guard.present("select", tracker.select(memory));
        int last = ranges.count() - 1;
        // They ascend, so that the ends are all there is to look at while the machine stands still.
        if (last >= 0
            && (ranges.imageOffset(0) < 0
                || ranges.imageOffset(last) + ranges.lengthBytes(last) > memory.imageSizeBytes())) {
          throw guard.broken("select", "pages outside of the memory image");
        }
        return ranges;
      } catch (Throwable e) {
        throw guard.failed("select", e);
      }
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
}
