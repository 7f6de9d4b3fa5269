// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;

/** What a machine changed since it was restored: its private copies of the image's pages. */
final class Incremental implements MemoryMode {
  @Override
  public MemoryTracker attach(GuestMemory memory) {
    Layout.check(memory);
    boolean restored = false;
    for (MemoryRegion region : memory.regions()) {
      refuseShared(region);
      restored |= region.kind() == MemoryRegion.Kind.PRIVATE_IMAGE;
    }
    if (!restored) {
      throw unsupported("no part of its memory is a private mapping of a restore image");
    }
    return new ScanTracker(Baseline.RESTORE_IMAGE, memory.pid()) {
      @Override
      void select(MemoryRegion region, Scanner scanner, PageRanges.Builder into) {
        refuseShared(region);
        Rule rule =
            region.kind() == MemoryRegion.Kind.PRIVATE_IMAGE
                ? Rule.CHANGED_COPIES
                : Rule.ANONYMOUS_OR_ZERO;
        scanner.scan(region, rule, into);
      }
    };
  }

  private static void refuseShared(MemoryRegion region) {
    if (region.kind() == MemoryRegion.Kind.SHARED) {
      throw unsupported(
          "its memory at image offset "
              + region.imageOffset()
              + " is a shared mapping, whose page table does not tell what the guest wrote");
    }
  }

  private static RametException unsupported(String why) {
    return new RametException(
        ErrorCode.UNSUPPORTED,
        "incremental capture of this machine is not possible: " + why,
        "capture it with mode full; a machine restored from that snapshot can be captured"
            + " incrementally",
        null);
  }

  @Override
  public void close() {}
}
