// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

import dev.ramet.errors.RametException;
import java.util.List;

/**
 * Knows which parts of one volume are written, because the volume's writer provides it: a
 * hypervisor that keeps a bitmap of its guest's writes. Comparing the block addresses of two files
 * gives the same answer, but takes time in the number of their extents, which grows with a volume's
 * history; a log takes time in the number of writes.
 *
 * <p>Thread-safe.
 */
public interface WriteLog {
  /** The mark before any other: nothing is known about what was written since. */
  long NO_MARK = 0;

  /** The log of a volume whose writes are not recorded; it never knows anything. */
  WriteLog NONE = () -> Written.unknownUntil(Long.MAX_VALUE);

  /**
   * Returns what was written since the last call and starts over, in one atomic step. Every write
   * is reported once, by the first call after it has ended. A reader that reads a range after the
   * call that reported it therefore sees that write or a later one, which a later call reports. A
   * write in flight may have changed the volume's modification time long before it is reported: the
   * result is certain to be complete only for a volume that nobody writes.
   *
   * @throws RametException if it cannot tell; the next result then begins at {@link #NO_MARK}
   */
  Written take();

  /**
   * The writes between two calls. Marks are positive and unique within a process. They show that
   * two results are consecutive: the later one's {@code since} is the earlier one's {@code until}.
   *
   * @param since the mark of the previous call; {@link #NO_MARK} if anything may have been written
   *     until now, in which case the ranges say nothing
   * @param until the mark of this call
   * @param ranges in order, without overlap; they may cover more than was written, never less
   */
  record Written(long since, long until, List<Range> ranges) {
    /** Checks the marks and the order of the ranges, and copies them. */
    public Written {
      if (since < NO_MARK || until <= NO_MARK || since == until) {
        throw RametException.invalid("mark", "from " + since + " to " + until);
      }
      ranges = List.copyOf(ranges);
      long end = 0;
      for (Range range : ranges) {
        if (range.offset() < end) {
          throw RametException.invalid("ranges", range + " begins before " + end);
        }
        end = range.offset() + range.lengthBytes();
      }
    }

    /** Creates the result of a log that knows nothing about what was written until now. */
    public static Written unknownUntil(long until) {
      return new Written(NO_MARK, until, List.of());
    }

    /** Returns whether this is everything that was written since a mark. */
    public boolean isAllSince(long mark) {
      return mark != NO_MARK && since == mark;
    }
  }

  /**
   * A part of a volume. It may reach beyond the volume's end.
   *
   * @param offset in bytes, not negative
   * @param lengthBytes positive
   */
  record Range(long offset, long lengthBytes) {
    /** Checks both values. */
    public Range {
      if (offset < 0 || lengthBytes <= 0 || offset > Long.MAX_VALUE - lengthBytes) {
        throw RametException.invalid("range", lengthBytes + " bytes at " + offset);
      }
    }
  }
}
