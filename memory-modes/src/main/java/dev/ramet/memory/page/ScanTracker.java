// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory.page;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;

/**
 * A tracker that leaves no mark on the process and keeps no state: every selection is relative to
 * the same baseline.
 */
public abstract class ScanTracker implements MemoryTracker {
  private final Baseline baseline;
  private final Selector selector;

  public ScanTracker(Baseline baseline, long pid) {
    this.baseline = baseline;
    this.selector = Selector.open(pid);
  }

  @Override
  public final Baseline baseline() {
    return baseline;
  }

  @Override
  public final PageRanges select(GuestMemory memory) {
    if (memory.pid() != selector.pid()) {
      throw new RametException(
          ErrorCode.INTERNAL,
          "tracker of process " + selector.pid() + " was given process " + memory.pid());
    }
    Layout.check(memory);
    PageRanges.Builder ranges = new PageRanges.Builder();
    for (MemoryRegion region : memory.regions()) {
      select(region, selector, ranges);
    }
    return ranges.build();
  }

  /** Adds the ranges of one region that must be written. */
  public abstract void select(MemoryRegion region, Selector selector, PageRanges.Builder into);

  /** Nothing to re-arm: the next selection is relative to the same baseline. */
  @Override
  public final void committed() {}

  @Override
  public final void close() {
    selector.close();
  }
}
