// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
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

/**
 * The mode that captures what a machine changed since it was restored: its private copies of the
 * image's pages.
 */
final class Incremental implements MemoryMode {
  static final String ID = "incremental";

  @Override
  public MemoryTracker attach(GuestMemory memory) {
    Layout.check(memory);
    boolean restored = false;
    for (MemoryRegion region : memory.regions()) {
      refuseUnknown(ID, region);
      restored |= region.kind() == MemoryRegion.Kind.PRIVATE_IMAGE;
    }
    if (!restored) {
      throw unsupported(ID, "none of its memory is a private mapping of a restore image");
    }
    return new ScanTracker(Baseline.RESTORE_IMAGE, memory.pid()) {
      @Override
      public void select(MemoryRegion region, Selector selector, PageRanges.Builder into) {
        refuseUnknown(ID, region);
        selector.select(region, SelectionRule.forKind(region.kind()), into);
      }
    };
  }

  /** Refuses, in the name of a mode, memory whose content the page table does not tell. */
  static void refuseUnknown(String mode, MemoryRegion region) {
    if (region.kind() == MemoryRegion.Kind.SHARED) {
      throw unsupported(
          mode,
          "its memory at image offset "
              + region.imageOffset()
              + " is a shared mapping, whose page table does not show which pages the guest wrote");
    }
    if (region.kind() == MemoryRegion.Kind.FAULTED) {
      // A page that the handler filled looks like one that the guest wrote, and one that was
      // discarded like one that nobody touched.
      throw unsupported(
          mode,
          "its memory at image offset "
              + region.imageOffset()
              + " is filled by a fault handler, so that the page table does not tell what the guest"
              + " wrote");
    }
  }

  /** A mode cannot track this machine. */
  static RametException unsupported(String mode, String why) {
    return new RametException(
        ErrorCode.UNSUPPORTED,
        "capture of this machine with mode " + mode + " is not possible: " + why,
        "capture it with another mode; full works with any machine, and a machine restored"
            + " from that snapshot can be captured incrementally",
        null);
  }

  @Override
  public void close() {}
}
