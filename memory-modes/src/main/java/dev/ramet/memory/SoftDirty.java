// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import static dev.ramet.linux.memory.Pagemap.FILE_OR_SHARED;
import static dev.ramet.linux.memory.Pagemap.PRESENT;
import static dev.ramet.linux.memory.Pagemap.SOFT_DIRTY;
import static dev.ramet.linux.memory.Pagemap.SWAPPED;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.memory.ClearRefs;
import dev.ramet.memory.page.MergeDaemon;
import dev.ramet.memory.page.RegionDelta;
import dev.ramet.memory.page.Scanner;
import dev.ramet.memory.page.SelectionRule;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import java.util.BitSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The mode that captures what a machine wrote since its previous capture, by the kernel's
 * soft-dirty bits. They exist once per process: a second tracker would reset bits that the first
 * has not seen.
 */
public final class SoftDirty implements MemoryMode {
  static final String ID = "soft-dirty";

  /** Mapped by this process alone (admin-guide/mm/pagemap.rst): never the shared page of zeros. */
  static final long EXCLUSIVE = 1L << 56;

  /** All that {@link State#of} looks at. */
  private static final long LOOKED_AT = PRESENT | SWAPPED | FILE_OR_SHARED | EXCLUSIVE | SOFT_DIRTY;

  private final Set<Long> tracked = ConcurrentHashMap.newKeySet();
  private final MergeDaemon merging;

  SoftDirty(MergeDaemon merging) {
    this.merging = merging;
  }

  @Override
  public MemoryTracker attach(GuestMemory memory) {
    DeltaTracker.check(ID, memory);
    if (merging.isRunning()) {
      throw Incremental.unsupported(ID, MergeDaemon.REASON);
    }
    // A tracker still attached to a process that has ended does not block another one.
    Scanner.open(memory.pid()).close();
    if (!tracked.add(memory.pid())) {
      throw new RametException(
          ErrorCode.CONFLICT, "process " + memory.pid() + " is tracked by soft-dirty already");
    }
    boolean attached = false;
    try {
      Tracker tracker = new Tracker(memory.pid());
      attached = true;
      return tracker;
    } finally {
      if (!attached) {
        tracked.remove(memory.pid());
      }
    }
  }

  @Override
  public void close() {}

  /** The meaning of a pagemap entry, if it has any. */
  enum State {
    ABSENT,
    UNWRITTEN,
    CHANGED;

    /**
     * A page that is not exclusive may be the zero page, mapped by a read after the page was
     * discarded, which sets no bit; or it was shared between processes, or merged with an equal
     * one. It counts as changed.
     */
    static State of(long entry, MemoryRegion.Kind kind) {
      boolean image = kind == MemoryRegion.Kind.PRIVATE_IMAGE;
      SelectionRule rule = image ? SelectionRule.CHANGED_COPIES : SelectionRule.ANONYMOUS_OR_ZERO;
      if (!rule.isCopied(entry)) {
        return ABSENT;
      }
      boolean own = (entry & (PRESENT | FILE_OR_SHARED | EXCLUSIVE)) == (PRESENT | EXCLUSIVE);
      return (entry & SOFT_DIRTY) == 0 && (own || (entry & PRESENT) == 0) ? UNWRITTEN : CHANGED;
    }
  }

  /** Returns the end of a run of equal entries; in large memory most entries are in such runs. */
  private static int endOfEqual(long[] entries, int pages, int from) {
    long said = entries[from] & LOOKED_AT;
    int to = from + 1;
    while (to < pages && (entries[to] & LOOKED_AT) == said) {
      to++;
    }
    return to;
  }

  /**
   * Applies the rule to the entries of consecutive pages.
   *
   * @param first the first one's number in the region
   */
  public static void select(
      long[] entries, int pages, int first, MemoryRegion.Kind kind, RegionDelta delta) {
    int from = 0;
    while (from < pages) {
      State state = State.of(entries[from], kind);
      int to = from;
      do {
        to = endOfEqual(entries, pages, to);
      } while (to < pages && State.of(entries[to], kind) == state);
      switch (state) {
        case ABSENT -> delta.absent(first + from, first + to);
        case UNWRITTEN -> delta.unwritten(first + from, first + to);
        case CHANGED -> delta.changed(first + from, first + to);
      }
      from = to;
    }
  }

  private final class Tracker extends DeltaTracker {
    private final ClearRefs bits;
    private boolean closed;

    Tracker(long pid) {
      super(ID, Scanner.open(pid));
      try {
        bits = ClearRefs.open(pid);
      } catch (LinuxException e) {
        scanner.close();
        throw Scanner.failure(pid, e);
      }
    }

    @Override
    void beginSelection() throws TrackingLost {
      if (merging.isRunning()) {
        throw trackingLost(MergeDaemon.REASON);
      }
    }

    @Override
    void selectChanged(MemoryRegion region, BitSet before, BitSet now, PageRanges.Builder into) {
      RegionDelta delta = new RegionDelta(region, before, now, into);
      scanner.read(
          region,
          (entries, pages, first) -> SoftDirty.select(entries, pages, first, region.kind(), delta));
    }

    @Override
    void arm(GuestMemory memory) throws LinuxException {
      bits.resetSoftDirty();
    }

    /** The bits cost nothing unless they are reset. */
    @Override
    void disarm(GuestMemory memory) {}

    @Override
    public void close() {
      super.close();
      bits.close();
      if (!closed) {
        closed = true;
        tracked.remove(scanner.pid());
      }
    }
  }
}
