// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.vm;

import dev.ramet.spi.storage.WriteLog.Range;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Collects dirty ranges in ascending order and merges adjacent ones. Used by one thread. */
final class DirtyRanges {
  /** Every second bit of a bitmap twice as large as the driver's. */
  private static final int MOST = 1 << 22;

  private final List<Range> ranges = new ArrayList<>();
  private long start;
  private long end;

  /**
   * Adds a range.
   *
   * @throws IOException when there are more ranges than a bitmap of the driver can have
   */
  void add(long offset, long lengthBytes) throws IOException {
    if (offset != end) {
      flush();
      start = offset;
    }
    end = offset + lengthBytes;
  }

  /** Returns all ranges. Call it once, at the end. */
  List<Range> end() throws IOException {
    flush();
    return ranges;
  }

  private void flush() throws IOException {
    if (end > start) {
      if (ranges.size() == MOST) {
        throw new IOException("more than " + MOST + " ranges");
      }
      ranges.add(new Range(start, end - start));
    }
  }
}
