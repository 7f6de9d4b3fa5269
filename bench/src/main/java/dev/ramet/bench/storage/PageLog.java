// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.storage;

import dev.ramet.spi.storage.WriteLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;

/** Writes a file page by page and logs the written pages, as a hypervisor's bitmap does. */
final class PageLog implements WriteLog {
  private final BitSet pages = new BitSet();
  private long since = NO_MARK;
  private long mark = NO_MARK;

  /** Overwrites pages drawn at random; returns the number of different ones. */
  int overwrite(Path file, int count, Random random) throws IOException {
    BitSet drawn = Pool.overwritten(file, count, random);
    pages.or(drawn);
    return drawn.cardinality();
  }

  /** Starts a new log, for another file. */
  void forget() {
    pages.clear();
    since = NO_MARK;
  }

  @Override
  public Written take() {
    List<Range> ranges = new ArrayList<>();
    for (int from = pages.nextSetBit(0); from >= 0; ) {
      int to = pages.nextClearBit(from);
      ranges.add(new Range((long) from * Pool.PAGE, (long) (to - from) * Pool.PAGE));
      from = pages.nextSetBit(to);
    }
    pages.clear();
    mark++;
    Written written =
        since == NO_MARK ? Written.unknownUntil(mark) : new Written(since, mark, ranges);
    since = mark;
    return written;
  }
}
