// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.check;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.WriteLog;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/** A log that keeps its contract, in every way that the contract allows. Thread-safe. */
final class WriteNotes implements WriteLog {
  private static final AtomicLong MARKS = new AtomicLong();

  private final TreeMap<Long, Long> ends = new TreeMap<>();
  private long last = NO_MARK;
  private Manner manner = Manner.EXACT;
  private int asked;

  /** The way it answers. */
  enum Manner {
    /** Exactly what was written, to the byte. */
    EXACT,
    /** More than was written, even beyond the end. */
    GENEROUS,
    /** One answer that knows nothing. */
    FORGETFUL,
    /** One answer that fails. */
    FAILING
  }

  /** Makes the next answer of this manner. */
  synchronized void next(Manner answer) {
    manner = answer;
  }

  /** Returns how often it was asked. */
  synchronized int asked() {
    return asked;
  }

  /** Records a write that has ended. */
  synchronized void wrote(long offset, long length) {
    long from = offset;
    long to = offset + length;
    // Merges the ranges that it touches.
    while (true) {
      var before = ends.floorEntry(to);
      if (before == null || before.getValue() < from) {
        break;
      }
      from = Math.min(from, before.getKey());
      to = Math.max(to, before.getValue());
      ends.remove(before.getKey());
    }
    ends.put(from, to);
  }

  @Override
  public synchronized Written take() {
    asked++;
    Manner now = manner;
    manner = Manner.EXACT;
    List<Range> ranges = new ArrayList<>();
    ends.forEach((from, to) -> ranges.add(new Range(from, to - from)));
    ends.clear();
    long since = last;
    last = NO_MARK;
    if (now == Manner.FAILING) {
      throw new RametException(ErrorCode.HYPERVISOR_FAILED, "a log that fails on purpose");
    }
    last = MARKS.incrementAndGet();
    if (since == NO_MARK || now == Manner.FORGETFUL) {
      return Written.unknownUntil(last);
    }
    if (now == Manner.GENEROUS) {
      long end = ranges.isEmpty() ? 0 : ends(ranges);
      ranges.add(new Range(end, Long.MAX_VALUE - end));
    }
    return new Written(since, last, ranges);
  }

  private static long ends(List<Range> ranges) {
    Range range = ranges.get(ranges.size() - 1);
    return range.offset() + range.lengthBytes();
  }
}
