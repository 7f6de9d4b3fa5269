// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.support;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.memory.DirtyLog;
import dev.ramet.spi.memory.PageRanges;
import java.util.BitSet;
import java.util.function.LongSupplier;

/** The log that a hypervisor would keep of the changes that are made to a process. Thread-safe. */
public final class ChangedPages implements DirtyLog {
  private static final int PAGE = 4096;

  private final long pid;
  private final LongSupplier address;
  private final BitSet pages = new BitSet();
  private long mark = START;

  /**
   * Creates an empty log.
   *
   * @param pid the process
   * @param address returns where its memory begins
   */
  public ChangedPages(long pid, LongSupplier address) {
    this.pid = pid;
    this.address = address;
  }

  /** Adds pages that are about to change. */
  public synchronized void written(int page, int count) {
    pages.set(page, page + count);
  }

  @Override
  public synchronized Drained drain() {
    if (ProcessHandle.of(pid).isEmpty()) {
      throw new RametException(ErrorCode.HYPERVISOR_FAILED, "the process has ended");
    }
    PageRanges.Builder ranges = new PageRanges.Builder();
    for (int page = pages.nextSetBit(0); page >= 0; page = pages.nextSetBit(page + 1)) {
      ranges.copy((long) page * PAGE, address.getAsLong() + (long) page * PAGE, PAGE);
    }
    pages.clear();
    long since = mark;
    mark++;
    return new Drained(since, mark, ranges.build());
  }
}
