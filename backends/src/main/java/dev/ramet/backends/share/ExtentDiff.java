// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.share;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Extent;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.Fiemap;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Finds the ranges in which two files do not share their blocks. Files that share a block have the
 * same content there, because a shared block is never overwritten; elsewhere they may differ.
 */
final class ExtentDiff {
  /** The place of data whose content is not determined by place and length alone. */
  private static final long UNKNOWN = -1;

  private ExtentDiff() {}

  /** Receives each range. */
  interface Visitor {
    /** The files do not share these bytes; they may be a hole in either. */
    void visit(long offset, long lengthBytes) throws LinuxException;
  }

  /**
   * Visits the ranges in order; reads the extents of both files first, after writing their dirty
   * data.
   */
  static void walk(Fd one, Fd other, long sizeBytes, Visitor visitor) throws LinuxException {
    Runs left = Runs.of(one);
    Runs right = Runs.of(other);
    long from = -1;
    for (long at = 0, end; at < sizeBytes; at = end) {
      left.moveTo(at);
      right.moveTo(at);
      end = Math.min(sizeBytes, Math.min(left.endOffset(at), right.endOffset(at)));
      long place = left.physicalOffset(at);
      if (place == right.physicalOffset(at) && place != UNKNOWN) {
        if (from >= 0) {
          visitor.visit(from, at - from);
          from = -1;
        }
      } else if (from < 0) {
        from = at;
      }
    }
    if (from >= 0) {
      visitor.visit(from, sizeBytes - from);
    }
  }

  /** The extents of a file, three numbers each, and a cursor. */
  private static final class Runs implements Consumer<Extent> {
    private static final int FIELDS = 3;
    private static final long HOLE = -2;

    private long[] fields = new long[FIELDS * 256];
    private int used;
    private int current;

    static Runs of(Fd file) throws LinuxException {
      Runs runs = new Runs();
      Fiemap.walk(file, true, runs);
      return runs;
    }

    @Override
    public void accept(Extent extent) {
      if (extent.isUnwritten()) {
        return; // Reads as a hole, and is one in every copy.
      }
      if (used == fields.length) {
        fields = Arrays.copyOf(fields, 2 * used);
      }
      fields[used] = extent.logical();
      fields[used + 1] = extent.isPlain() ? extent.physical() : UNKNOWN;
      fields[used + 2] = extent.lengthBytes();
      used += FIELDS;
    }

    /** Looks at the first extent that does not end before an offset; offsets never go back. */
    void moveTo(long offset) {
      while (current < used && fields[current] + fields[current + 2] <= offset) {
        current += FIELDS;
      }
    }

    private boolean coversOffset(long offset) {
      return current < used && fields[current] <= offset;
    }

    /** Returns the place of the byte at an offset. */
    long physicalOffset(long offset) {
      if (!coversOffset(offset)) {
        return HOLE;
      }
      long place = fields[current + 1];
      return place == UNKNOWN ? UNKNOWN : place + offset - fields[current];
    }

    /** Returns the end of the extent or hole at an offset. */
    long endOffset(long offset) {
      if (coversOffset(offset)) {
        return fields[current] + fields[current + 2];
      }
      return current < used ? fields[current] : Long.MAX_VALUE;
    }
  }
}
