// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import dev.ramet.memory.page.ImageHoles;
import dev.ramet.memory.page.Layout;
import dev.ramet.memory.page.ScanTracker;
import dev.ramet.memory.page.SelectionRule;
import dev.ramet.memory.page.Selector;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;

/** The mode that captures all memory, without a baseline. Works with any memory. */
final class Full implements MemoryMode {
  @Override
  public MemoryTracker attach(GuestMemory memory) {
    Layout.check(memory);
    ImageHoles holes = ImageHoles.find(memory);
    return new ScanTracker(Baseline.NONE, memory.pid()) {
      @Override
      public void select(MemoryRegion region, Selector selector, PageRanges.Builder into) {
        switch (region.kind()) {
          case ANONYMOUS -> selector.select(region, SelectionRule.ANONYMOUS_OR_ZERO, into);
          case PRIVATE_IMAGE -> selectImage(region, holes, selector, into);
          // An absent page of a file holds whatever the file does, so the page table is no help.
          // Neither is it for pages that are filled when they are touched: reading fetches them.
          case SHARED, FAULTED -> copy(region, 0, region.lengthBytes(), into);
        }
      }
    };
  }

  /** Uses the page table where the image has holes; everything else is copied. */
  private static void selectImage(
      MemoryRegion region, ImageHoles holes, Selector selector, PageRanges.Builder into) {
    long done = 0;
    for (MemoryRegion hole : holes.in(region)) {
      long start = hole.address() - region.address();
      copy(region, done, start, into);
      selector.select(hole, SelectionRule.COPIES_OR_ZERO, into);
      done = start + hole.lengthBytes();
    }
    copy(region, done, region.lengthBytes(), into);
  }

  private static void copy(MemoryRegion region, long from, long to, PageRanges.Builder into) {
    if (from < to) {
      into.copy(region.imageOffset() + from, region.address() + from, to - from);
    }
  }

  @Override
  public void close() {}
}
