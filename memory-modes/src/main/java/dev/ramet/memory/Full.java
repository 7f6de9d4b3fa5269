// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;

/** Everything, relative to nothing. Works with any memory. */
final class Full implements MemoryMode {
  @Override
  public MemoryTracker attach(GuestMemory memory) {
    Layout.check(memory);
    return new ScanTracker(Baseline.NONE, memory.pid()) {
      @Override
      void select(MemoryRegion region, Selector selector, PageRanges.Builder into) {
        switch (region.kind()) {
          case ANONYMOUS -> selector.select(region, Rule.ANONYMOUS_OR_ZERO, into);
          // An absent page of a file holds whatever the file does, so the page table is no help.
          case PRIVATE_IMAGE, SHARED ->
              into.copy(region.imageOffset(), region.address(), region.lengthBytes());
        }
      }
    };
  }

  @Override
  public void close() {}
}
