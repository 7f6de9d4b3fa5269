// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import static dev.ramet.linux.memory.PagemapScan.FILE;
import static dev.ramet.linux.memory.PagemapScan.SWAPPED;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.memory.PagemapScan;
import dev.ramet.linux.memory.Userfaultfd;
import dev.ramet.memory.page.Layout;
import dev.ramet.memory.page.PageUnion;
import dev.ramet.memory.page.Scanner;
import dev.ramet.memory.page.SelectionRule;
import dev.ramet.memory.page.Selector;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.LiveTracker;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.PageRanges;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tracks writes to a private mapping whose hypervisor discards nothing. Every page is protected,
 * including absent ones, so a page that is no longer protected was written, and the kernel looks
 * only at the page table entries. Finding and protecting are one step, which may happen while the
 * machine runs; its results are remembered until the commit, because the kernel reports each write
 * once.
 */
final class LiveWriteTracker implements LiveTracker {
  private static final Logger LOG = System.getLogger(LiveWriteTracker.class.getName());

  private enum State {
    /** Nothing is registered. */
    IDLE,
    /**
     * The pages present when the first round began are protected, absent pages are not: protecting
     * those while the machine runs could hide a write.
     */
    PRESENT_PROTECTED,
    /** Everything is protected. */
    ALL_PROTECTED
  }

  private final Scanner scanner;
  private final PagemapScan scan;
  private final Selector selector;
  private final Userfaultfd protection;
  private State state = State.IDLE;

  /** Whether a capture was committed under the protection that holds. */
  private boolean committed;

  /** The memory as it was last seen, or null before the first selection. */
  private @Nullable GuestMemory known;

  /** The pages found since the last commit. */
  private final List<PageRanges> found = new ArrayList<>();

  /** The part of the found pages that the current capture has not copied yet. */
  private final List<PageRanges> due = new ArrayList<>();

  LiveWriteTracker(Scanner scanner, PagemapScan scan, Userfaultfd protection) {
    this.scanner = scanner;
    this.scan = scan;
    this.selector = new Selector(scanner, scan);
    this.protection = protection;
  }

  /** Returns whether all of the memory is of a kind that this tracker supports. */
  static boolean isSupported(GuestMemory memory) {
    return !memory.discards()
        && memory.regions().stream().allMatch(r -> r.kind() == MemoryRegion.Kind.PRIVATE_IMAGE);
  }

  @Override
  public Baseline baseline() {
    return committed ? Baseline.PREVIOUS_CAPTURE : Baseline.RESTORE_IMAGE;
  }

  @Override
  public void startOver() {
    GuestMemory memory = known;
    if (found.size() > 1 && memory != null) {
      PageRanges together = PageUnion.union(found, memory);
      found.clear();
      found.add(together);
    }
    due.clear();
    due.addAll(found);
  }

  @Override
  public PageRanges selectRunning(GuestMemory memory) {
    check(memory);
    if (state == State.IDLE) {
      known = memory;
      state = State.PRESENT_PROTECTED;
      try {
        for (MemoryRegion region : memory.regions()) {
          protection.register(region.address(), region.lengthBytes());
        }
      } catch (LinuxException e) {
        throw failed(WriteTracking.failure(scanner.pid(), e));
      }
    }
    return takeWritten(memory);
  }

  @Override
  public void copied() {
    due.clear();
  }

  @Override
  public PageRanges select(GuestMemory memory) {
    check(memory);
    if (state != State.IDLE) {
      return takeWritten(memory);
    }
    known = memory;
    PageRanges.Builder ranges = new PageRanges.Builder();
    for (MemoryRegion region : memory.regions()) {
      selector.select(region, SelectionRule.forKind(region.kind()), ranges);
    }
    return ranges.build();
  }

  private void check(GuestMemory memory) {
    if (memory.pid() != scanner.pid()) {
      throw new RametException(
          ErrorCode.INTERNAL,
          "tracker of process " + scanner.pid() + " was given process " + memory.pid());
    }
    Layout.check(memory);
    GuestMemory before = known;
    boolean same =
        before == null
            || state == State.IDLE
            || memory.regions().stream().allMatch(now -> DeltaTracker.isSameMapping(before, now));
    if (!same || !isSupported(memory)) {
      throw trackingLost("memory is mapped differently than before");
    }
  }

  /** Finds written pages and protects them again. */
  private PageRanges takeWritten(GuestMemory memory) {
    known = memory;
    PageRanges.Builder ranges = new PageRanges.Builder();
    try {
      for (MemoryRegion region : memory.regions()) {
        long shift = region.imageOffset() - region.address();
        if (state == State.ALL_PROTECTED) {
          scan.takeWritten(
              region.address(),
              region.lengthBytes(),
              (start, end, categories) -> ranges.copy(start + shift, start, end - start));
        } else {
          scan.findAndProtect(
              region.address(),
              region.lengthBytes(),
              (start, end, categories) -> {
                // Skips pages of the image itself that were only read.
                if ((categories & FILE) == 0 || (categories & SWAPPED) != 0) {
                  ranges.copy(start + shift, start, end - start);
                }
              });
        }
        // Linux 6.12 finds nothing in a process that has ended, and says nothing.
        scanner.checkAlive(region.address());
      }
    } catch (LinuxException e) {
      // Part of the memory may be protected again already, and its written pages are not reported
      // twice.
      throw e.errno() == LinuxException.EPERM
          ? trackingLost("part of its memory was mapped again")
          : failed(Scanner.failure(scanner.pid(), e));
    } catch (RuntimeException e) {
      throw failed(e);
    }
    PageRanges now = ranges.build();
    found.add(now);
    due.add(now);
    if (due.size() > 1) {
      PageRanges together = PageUnion.union(due, memory);
      due.clear();
      due.add(together);
    }
    return due.get(0);
  }

  @Override
  public void committed() {
    GuestMemory memory = known;
    if (memory == null) {
      throw new RametException(ErrorCode.INTERNAL, "committed without a selection");
    }
    found.clear();
    due.clear();
    try {
      if (state != State.ALL_PROTECTED) {
        // The machine is paused, so nothing can be written in between.
        for (MemoryRegion region : memory.regions()) {
          protection.register(region.address(), region.lengthBytes());
          protection.protect(region.address(), region.lengthBytes());
        }
        state = State.ALL_PROTECTED;
      }
      committed = true;
    } catch (LinuxException e) {
      // The capture itself is good.
      LOG.log(
          Level.WARNING,
          () ->
              WriteTracking.ID
                  + " of process "
                  + scanner.pid()
                  + " cannot continue and starts over",
          e);
      reset();
    }
  }

  private RametException trackingLost(String why) {
    reset();
    return DeltaTracker.trackingLost(WriteTracking.ID, scanner.pid(), why);
  }

  private RuntimeException failed(RuntimeException e) {
    reset();
    return e;
  }

  /** Back to where an attached tracker begins. */
  private void reset() {
    GuestMemory memory = known;
    known = null;
    committed = false;
    found.clear();
    due.clear();
    if (state != State.IDLE && memory != null) {
      WriteTracking.unprotect(protection, memory);
    }
    state = State.IDLE;
  }

  @Override
  public void close() {
    known = null;
    found.clear();
    due.clear();
    selector.close();
    protection.close();
  }
}
