// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

import dev.ramet.errors.RametException;
import java.util.List;

/**
 * Knows which parts of one volume are written, because it belongs to whoever writes it: a
 * hypervisor that keeps a bitmap of its guest's writes. To find the same by comparing where the
 * blocks of two files are takes time in the number of their extents, which grows with a volume's
 * history; a log takes time in the number of writes.
 *
 * <p>Thread-safe.
 */
public interface WriteLog {
  /** The mark before any: nothing is known of what was written since. */
  long NO_MARK = 0;

  /** Of a volume whose writes nobody notes: never knows anything. */
  WriteLog NONE = () -> Written.unknownUntil(Long.MAX_VALUE);

  /**
   * What was written since the last call, and begins anew: all in one step, so that every write is
   * in one answer: the first after it has ended. So who looks at a range after the call that named
   * it sees that write or a later one, of which a later call tells. A write that is under way may
   * have changed the volume's time of modification long before it is told: that all was told is
   * sure only of a volume that nobody writes.
   *
   * @throws RametException when it cannot tell; the next answer then begins at {@link #NO_MARK}
   */
  Written take();

  /**
   * What was written between two calls. Marks are positive, never given twice in a process, and say
   * that two answers follow one another: the later one's {@code since} is the earlier one's {@code
   * until}.
   *
   * @param since the mark of the call before; {@link #NO_MARK} when anything may have been written
   *     until now, and the ranges say nothing
   * @param until the mark of this call
   * @param ranges in order, apart from one another; more than was written is allowed, never less
   */
  record Written(long since, long until, List<Range> ranges) {
    /** Copies the ranges. */
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

    /** The answer of who knows nothing of what was written until now. */
    public static Written unknownUntil(long until) {
      return new Written(NO_MARK, until, List.of());
    }

    /** Whether it is all that was written since a mark. */
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
    /** Checks both. */
    public Range {
      if (offset < 0 || lengthBytes <= 0 || offset > Long.MAX_VALUE - lengthBytes) {
        throw RametException.invalid("range", lengthBytes + " bytes at " + offset);
      }
    }
  }
}
