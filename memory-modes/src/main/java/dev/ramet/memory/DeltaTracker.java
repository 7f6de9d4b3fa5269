// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.memory.page.Layout;
import dev.ramet.memory.page.Scanner;
import dev.ramet.memory.page.SelectionRule;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A tracker whose selections are relative to the previous capture. Until the first {@link
 * #committed}, and again after tracking was lost, they are relative to the restore image and equal
 * those of the mode incremental. Pages that were selected but never committed are selected again:
 * nothing is reset before the pages are safe.
 */
abstract class DeltaTracker implements MemoryTracker {
  private static final Logger LOG = System.getLogger(DeltaTracker.class.getName());

  private final String mode;
  final Scanner scanner;

  /** The memory at the previous capture and its pages that were held; null before one. */
  private @Nullable GuestMemory known;

  private BitSet held = new BitSet();

  /** The memory of a selection that waits to be committed. */
  private @Nullable GuestMemory selected;

  private BitSet heldNow = new BitSet();

  DeltaTracker(String mode, Scanner scanner) {
    this.mode = mode;
    this.scanner = scanner;
  }

  @Override
  public final Baseline baseline() {
    return known == null ? Baseline.RESTORE_IMAGE : Baseline.PREVIOUS_CAPTURE;
  }

  @Override
  public final PageRanges select(GuestMemory memory) {
    selected = null;
    if (memory.pid() != scanner.pid()) {
      throw new RametException(
          ErrorCode.INTERNAL,
          "tracker of process " + scanner.pid() + " was given process " + memory.pid());
    }
    Layout.check(memory);
    memory.regions().forEach(region -> Incremental.refuseUnknown(mode, region));
    PageRanges.Builder ranges = new PageRanges.Builder();
    BitSet now = new BitSet();
    try {
      beginSelection();
      for (MemoryRegion region : memory.regions()) {
        if (known == null) {
          selectAll(region, now, ranges);
        } else if (isSameMapping(known, region)) {
          selectChanged(region, held, now, ranges);
        } else if (region.kind() == MemoryRegion.Kind.ANONYMOUS) {
          selectAll(region, now, ranges); // Nothing of the earlier content here is visible.
        } else {
          throw trackingLost(
              "image offset " + region.imageOffset() + " is mapped differently than before");
        }
      }
    } catch (TrackingLost e) {
      reset();
      throw e.failure;
    } catch (LinuxException e) {
      throw Scanner.failure(scanner.pid(), e);
    }
    selected = memory;
    heldNow = now;
    return ranges.build();
  }

  /** Adds every held page, and the pages known to be zero. */
  final void selectAll(MemoryRegion region, BitSet now, PageRanges.Builder into) {
    SelectionRule rule = SelectionRule.forKind(region.kind());
    int firstPage = (int) (region.imageOffset() / NativeBuffer.PAGE_BYTES);
    scanner.read(
        region,
        (entries, pages, first) -> {
          long done = (long) first * NativeBuffer.PAGE_BYTES;
          rule.select(entries, pages, region.imageOffset() + done, region.address() + done, into);
          rule.addHeld(entries, pages, firstPage + first, now);
        });
  }

  /**
   * Returns whether a region's memory was mapped in the same way at the previous capture, even if
   * mappings were merged or split since: advice on a part of memory does that.
   */
  static boolean isSameMapping(GuestMemory before, MemoryRegion now) {
    long at = now.imageOffset();
    long end = at + now.lengthBytes();
    long shift = now.address() - at;
    for (MemoryRegion old : before.regions()) {
      long oldEnd = old.imageOffset() + old.lengthBytes();
      if (oldEnd > at && at < end) {
        if (old.kind() != now.kind() || old.address() - old.imageOffset() != shift) {
          return false;
        }
        at = oldEnd;
      }
    }
    return at >= end;
  }

  /**
   * Re-arms. A kernel that refuses is logged and answered with {@link Baseline#RESTORE_IMAGE} next
   * time, because the capture itself is good.
   */
  @Override
  public final void committed() {
    GuestMemory memory = selected;
    if (memory == null) {
      throw new RametException(ErrorCode.INTERNAL, "committed without a selection");
    }
    selected = null;
    try {
      arm(memory);
      // The machine has been paused since the selection, so the held pages are still the same.
      held = heldNow;
      known = memory;
    } catch (LinuxException e) {
      LOG.log(
          Level.WARNING,
          () -> mode + " of process " + scanner.pid() + " cannot continue and starts over",
          e);
      reset();
    }
  }

  private void reset() {
    GuestMemory tracked = known;
    known = null;
    held = new BitSet();
    if (tracked != null) {
      disarm(tracked);
    }
  }

  /** Called before the regions of a selection. */
  abstract void beginSelection() throws TrackingLost;

  /**
   * Adds the pages that differ from the previous capture, and possibly more.
   *
   * @param before the pages of the image that were held then
   * @param now receives those that are held now
   */
  abstract void selectChanged(
      MemoryRegion region, BitSet before, BitSet now, PageRanges.Builder into)
      throws TrackingLost, LinuxException;

  /** Starts to track again. */
  abstract void arm(GuestMemory memory) throws LinuxException;

  /** Stops to track. */
  abstract void disarm(GuestMemory memory);

  @Override
  public void close() {
    known = null;
    selected = null;
    scanner.close();
  }

  final TrackingLost trackingLost(String why) {
    return new TrackingLost(trackingLost(mode, scanner.pid(), why));
  }

  /** Creates the error of a tracker that cannot continue from the previous capture. */
  static RametException trackingLost(String mode, long pid, String why) {
    return new RametException(
        ErrorCode.UNSUPPORTED,
        "tracking lost: "
            + why
            + ", so "
            + mode
            + " cannot tell what process "
            + pid
            + " changed since its previous capture",
        "capture relative to the restore image; tracking starts over with that capture",
        null);
  }

  /** Signals that tracking was lost; after any other failure tracking continues. */
  static final class TrackingLost extends Exception {
    private static final long serialVersionUID = 1L;

    final RametException failure;

    TrackingLost(RametException failure) {
      super(failure);
      this.failure = failure;
    }
  }

  /** Refuses memory that no mode can track relative to an image. */
  static void check(String mode, GuestMemory memory) {
    Layout.check(memory);
    List<MemoryRegion> regions = memory.regions();
    regions.forEach(region -> Incremental.refuseUnknown(mode, region));
    if (regions.stream().noneMatch(r -> r.kind() == MemoryRegion.Kind.PRIVATE_IMAGE)) {
      throw Incremental.unsupported(
          mode, "none of its memory is a private mapping of a restore image");
    }
  }
}
