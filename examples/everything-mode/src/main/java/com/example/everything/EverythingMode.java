// SPDX-License-Identifier: Apache-2.0
package com.example.everything;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import java.nio.file.Files;
import java.nio.file.Path;

/** Selects every page of any memory. Holds nothing, so that threads may share it. */
final class EverythingMode implements MemoryMode {
  @Override
  public MemoryTracker attach(GuestMemory memory) {
    check(memory);
    return new Tracker(memory.pid());
  }

  /**
   * A machine's memory is captured as a whole or not at all, because the content of a gap would be
   * undefined.
   */
  private static void check(GuestMemory memory) {
    if (!Files.exists(Path.of("/proc", Long.toString(memory.pid()), "maps"))) {
      throw new RametException(
          ErrorCode.HYPERVISOR_FAILED, "process " + memory.pid() + " has ended");
    }
    long end = 0;
    for (MemoryRegion region : memory.regions()) {
      if (region.imageOffset() != end) {
        throw torn(memory, end);
      }
      end += region.lengthBytes();
    }
    if (end != memory.imageSizeBytes()) {
      throw torn(memory, end);
    }
  }

  private static RametException torn(GuestMemory memory, long at) {
    return new RametException(
        ErrorCode.CORRUPT, "memory of process " + memory.pid() + " has a gap at " + at);
  }

  @Override
  public void close() {}

  /** The tracker of one machine's memory; used by one thread at a time. */
  private record Tracker(long pid) implements MemoryTracker {
    @Override
    public Baseline baseline() {
      return Baseline.NONE;
    }

    @Override
    public PageRanges select(GuestMemory memory) {
      if (memory.pid() != pid) {
        throw new RametException(
            ErrorCode.CONFLICT, "process " + memory.pid() + " is not the one that is tracked");
      }
      check(memory);
      PageRanges.Builder ranges = new PageRanges.Builder();
      for (MemoryRegion region : memory.regions()) {
        ranges.copy(region.imageOffset(), region.address(), region.lengthBytes());
      }
      return ranges.build();
    }

    @Override
    public void committed() {}

    @Override
    public void close() {}
  }
}
