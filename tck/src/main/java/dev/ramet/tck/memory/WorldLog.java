// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.memory;

import static dev.ramet.tck.memory.TrackedProcess.PAGE;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.memory.DirtyLog;
import dev.ramet.spi.memory.PageRanges;
import java.util.BitSet;

/** The log that a hypervisor would keep of the changes that are made to a process. Thread-safe. */
final class WorldLog implements DirtyLog {
  private final TrackedProcess process;
  private final BitSet pages = new BitSet();
  private long mark = START;

  WorldLog(TrackedProcess process) {
    this.process = process;
  }

  synchronized void written(int page, int count) {
    pages.set(page, page + count);
  }

  @Override
  public synchronized Drained drain() {
    if (ProcessHandle.of(process.pid()).isEmpty()) {
      throw new RametException(ErrorCode.HYPERVISOR_FAILED, "the process has ended");
    }
    PageRanges.Builder ranges = new PageRanges.Builder();
    for (int page = pages.nextSetBit(0); page >= 0; page = pages.nextSetBit(page + 1)) {
      ranges.copy((long) page * PAGE, process.address() + (long) page * PAGE, PAGE);
    }
    pages.clear();
    long since = mark;
    mark++;
    return new Drained(since, mark, ranges.build());
  }
}
