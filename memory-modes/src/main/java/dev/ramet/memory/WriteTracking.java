// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.InjectionException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.memory.PagemapScan;
import dev.ramet.linux.memory.Userfaultfd;
import dev.ramet.linux.process.TracePermission;
import dev.ramet.memory.page.RegionDelta;
import dev.ramet.memory.page.Scanner;
import dev.ramet.memory.page.WrittenPages;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The mode that captures what a machine wrote since its previous capture, by write protection that
 * the kernel lifts at the first write. A page that is not protected, for whatever reason, counts as
 * written.
 */
final class WriteTracking implements MemoryMode {
  static final String ID = "write-tracking";

  @Override
  public MemoryTracker attach(GuestMemory memory) {
    DeltaTracker.check(ID, memory);
    long pid = memory.pid();
    Scanner scanner = Scanner.open(pid);
    PagemapScan scan = null;
    Userfaultfd protection = null;
    boolean attached = false;
    try {
      scan = PagemapScan.open(pid);
      protection = Userfaultfd.openIn(pid);
      for (MemoryRegion region : memory.regions()) {
        // Tried now, because a refusal inside a pause would come too late. Not kept, because it
        // costs the machine time: a registered file mapping is read in page by page.
        protection.register(region.address(), region.lengthBytes());
        protection.unregister(region.address(), region.lengthBytes());
      }
      attached = true;
      return LiveWriteTracker.isSupported(memory)
          ? new LiveWriteTracker(scanner, scan, protection)
          : new Tracker(scanner, scan, protection);
    } catch (InjectionException e) {
      throw new RametException(
          ErrorCode.UNSUPPORTED, ID + " is not possible: " + e.getMessage(), remedy(e), e);
    } catch (LinuxException e) {
      throw failure(pid, e);
    } finally {
      if (!attached) {
        scanner.close();
        close(scan);
        close(protection);
      }
    }
  }

  private static void close(@Nullable PagemapScan scan) {
    if (scan != null) {
      scan.close();
    }
  }

  private static void close(@Nullable Userfaultfd protection) {
    if (protection != null) {
      protection.close();
    }
  }

  static String remedy(InjectionException e) {
    return switch (e.reason()) {
      case ARCHITECTURE -> "use mode soft-dirty or incremental here";
      case FILTERED -> "let the hypervisor's seccomp filter pass userfaultfd and close";
      case FILTER_UNREADABLE ->
          "give Ramet CAP_SYS_ADMIN, which it needs to read the filter, or start the hypervisor"
              + " without a filter";
      case NO_THREAD, CALL_FAILED -> "use mode incremental, which does not need this";
    };
  }

  static RametException failure(long pid, LinuxException e) {
    return switch (e.errno()) {
      case LinuxException.EPERM, LinuxException.EACCES ->
          new RametException(
              ErrorCode.HOST_UNFIT,
              "process " + pid + " cannot be traced",
              TracePermission.remedy(),
              e);
      case LinuxException.ENOENT, LinuxException.ESRCH -> Scanner.failure(pid, e);
      default ->
          new RametException(
              ErrorCode.UNSUPPORTED,
              ID + " is not possible: " + e.getMessage(),
              "use Linux 6.7 or newer, and a hypervisor that does not use userfaultfd itself",
              e);
    };
  }

  @Override
  public void close() {}

  /** Restores memory to its state before it was registered. */
  static void unprotect(Userfaultfd protection, GuestMemory memory) {
    for (MemoryRegion region : memory.regions()) {
      try {
        // The kernel unregisters a range only when all of it is registered.
        protection.register(region.address(), region.lengthBytes());
        protection.unregister(region.address(), region.lengthBytes());
      } catch (LinuxException e) {
        // Memory that stays registered slows the machine but hides no write.
        System.getLogger(WriteTracking.class.getName())
            .log(System.Logger.Level.DEBUG, "cannot unregister the memory", e);
      }
    }
  }

  /**
   * Tracks memory that its hypervisor may discard: only present pages are protected, and the held
   * pages are remembered.
   */
  private static final class Tracker extends DeltaTracker {
    private final PagemapScan scan;
    private final Userfaultfd protection;

    Tracker(Scanner scanner, PagemapScan scan, Userfaultfd protection) {
      super(ID, scanner);
      this.scan = scan;
      this.protection = protection;
    }

    @Override
    void beginSelection() {}

    @Override
    void selectChanged(MemoryRegion region, BitSet before, BitSet now, PageRanges.Builder into)
        throws TrackingLost, LinuxException {
      // A refusal comes when a part was found already: collected apart, it can be dropped.
      PageRanges.Builder found = new PageRanges.Builder();
      RegionDelta delta = new RegionDelta(region, before, now, found);
      try {
        new WrittenPages(region, before, scanner, delta).scan(scan);
        // Linux 6.12 finds nothing in a process that has ended, and says nothing.
        scanner.checkAlive(region.address());
      } catch (LinuxException e) {
        if (e.errno() != LinuxException.EPERM) {
          throw e;
        }
        if (region.kind() != MemoryRegion.Kind.ANONYMOUS) {
          throw trackingLost(
              "memory at image offset " + region.imageOffset() + " was mapped again");
        }
        delta.discardHeld();
        selectAll(region, now, into);
        return;
      }
      PageRanges ranges = found.build();
      for (int i = 0; i < ranges.count(); i++) {
        if (ranges.isZero(i)) {
          into.zero(ranges.imageOffset(i), ranges.lengthBytes(i));
        } else {
          into.copy(ranges.imageOffset(i), ranges.address(i), ranges.lengthBytes(i));
        }
      }
    }

    @Override
    void arm(GuestMemory memory) throws LinuxException {
      for (MemoryRegion region : memory.regions()) {
        protection.register(region.address(), region.lengthBytes());
        scan.protect(region.address(), region.lengthBytes());
      }
    }

    @Override
    void disarm(GuestMemory memory) {
      unprotect(protection, memory);
    }

    @Override
    public void close() {
      super.close();
      scan.close();
      protection.close();
    }
  }
}
