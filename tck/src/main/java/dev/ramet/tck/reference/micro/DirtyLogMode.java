// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference.micro;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.DirtyLog;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Selects the pages that the hypervisor's own log names. It keeps what each log ever said, because
 * a log says it once, and a later tracker may need all since the restore. Thread-safe.
 */
final class DirtyLogMode implements MemoryMode {
  private static final int PAGE_BYTES = 4096;

  private final Map<DirtyLog, History> histories = new ConcurrentHashMap<>();

  /** The pages that a log has named so far. Guarded by itself. */
  private static final class History {
    final BitSet sinceStart = new BitSet();
    long mark = DirtyLog.START;
    boolean incomplete;
    boolean tracked;
  }

  @Override
  public MemoryTracker attach(GuestMemory memory) {
    check(memory);
    DirtyLog log = memory.dirtyLog();
    if (log == null) {
      throw new RametException(ErrorCode.UNSUPPORTED, "the hypervisor does not log writes");
    }
    if (memory.regions().stream().noneMatch(r -> r.kind() == MemoryRegion.Kind.PRIVATE_IMAGE)) {
      throw new RametException(ErrorCode.UNSUPPORTED, "no part of the memory maps an image");
    }
    if (ProcessHandle.of(memory.pid()).isEmpty()) {
      throw new RametException(ErrorCode.HYPERVISOR_FAILED, "there is no process " + memory.pid());
    }
    History history = histories.computeIfAbsent(log, one -> new History());
    synchronized (history) {
      if (history.tracked) {
        throw new RametException(ErrorCode.CONFLICT, "the log is drained by a tracker already");
      }
      Tracker tracker = new Tracker(memory.pid(), log, history);
      tracker.drain();
      history.tracked = true;
      return tracker;
    }
  }

  @Override
  public void close() {
    histories.clear();
  }

  /** Refuses memory with gaps. */
  private static void check(GuestMemory memory) {
    long end = 0;
    for (MemoryRegion region : memory.regions()) {
      if (region.imageOffset() != end) {
        throw new RametException(ErrorCode.CORRUPT, "no memory is mapped at offset " + end);
      }
      if (region.kind() == MemoryRegion.Kind.SHARED) {
        throw new RametException(ErrorCode.UNSUPPORTED, "shared memory maps no image");
      }
      end += region.lengthBytes();
    }
    if (end != memory.imageSizeBytes()) {
      throw new RametException(ErrorCode.CORRUPT, "memory ends at " + end);
    }
  }

  /** Collects what the log says between two captures. */
  private static final class Tracker implements MemoryTracker {
    private final long pid;
    private final DirtyLog log;
    private final History history;
    private final BitSet sinceCapture = new BitSet();
    private boolean captured;
    private boolean closed;

    Tracker(long pid, DirtyLog log, History history) {
      this.pid = pid;
      this.log = log;
      this.history = history;
    }

    @Override
    public Baseline baseline() {
      return captured ? Baseline.PREVIOUS_CAPTURE : Baseline.RESTORE_IMAGE;
    }

    /** Adds what was written since the last call. */
    private void drain() {
      synchronized (history) {
        DirtyLog.Drained drained = log.drain();
        history.incomplete |= drained.since() != history.mark;
        history.mark = drained.until();
        if (history.incomplete) {
          throw new RametException(
              ErrorCode.UNSUPPORTED, "the log was drained by somebody else: pages are missing");
        }
        PageRanges pages = drained.pages();
        for (int i = 0; i < pages.count(); i++) {
          int first = (int) (pages.imageOffset(i) / PAGE_BYTES);
          int end = first + (int) (pages.lengthBytes(i) / PAGE_BYTES);
          history.sinceStart.set(first, end);
          sinceCapture.set(first, end);
        }
      }
    }

    @Override
    public PageRanges select(GuestMemory memory) {
      check(memory);
      if (memory.pid() != pid || !log.equals(memory.dirtyLog())) {
        throw new RametException(ErrorCode.INTERNAL, "memory of another process");
      }
      drain();
      BitSet wanted = captured ? sinceCapture : history.sinceStart;
      PageRanges.Builder ranges = new PageRanges.Builder();
      for (MemoryRegion region : memory.regions()) {
        int end = (int) ((region.imageOffset() + region.lengthBytes()) / PAGE_BYTES);
        int page = wanted.nextSetBit((int) (region.imageOffset() / PAGE_BYTES));
        for (; page >= 0 && page < end; page = wanted.nextSetBit(page + 1)) {
          long offset = (long) page * PAGE_BYTES;
          ranges.copy(offset, region.address() + offset - region.imageOffset(), PAGE_BYTES);
        }
      }
      return ranges.build();
    }

    @Override
    public void committed() {
      sinceCapture.clear();
      captured = true;
    }

    @Override
    public void close() {
      synchronized (history) {
        // An earlier close must not end the tracking of a later tracker.
        if (!closed) {
          closed = true;
          history.tracked = false;
        }
      }
    }
  }
}
