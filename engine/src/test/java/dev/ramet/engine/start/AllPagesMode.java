// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;

/** A memory mode that has all of the memory read. */
final class AllPagesMode implements MemoryMode {
  @Override
  public MemoryTracker attach(GuestMemory memory) {
    return new MemoryTracker() {
      @Override
      public Baseline baseline() {
        return Baseline.NONE;
      }

      @Override
      public PageRanges select(GuestMemory now) {
        PageRanges.Builder all = new PageRanges.Builder();
        now.regions().forEach(one -> all.copy(one.imageOffset(), one.address(), one.lengthBytes()));
        return all.build();
      }

      @Override
      public void committed() {}

      @Override
      public void close() {}
    };
  }

  @Override
  public void close() {}
}
