// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.share;

import dev.ramet.linux.LinuxException;
import dev.ramet.spi.storage.WriteLog;
import java.util.List;

/** Finds the blocks of a file that written ranges touch. */
final class WrittenBlocks {
  private WrittenBlocks() {}

  /**
   * Visits the blocks in order, adjacent ones together.
   *
   * @param ranges in order
   * @param blockBytes the alignment of the visited ranges, except for the end of the file
   * @param sizeBytes the size of the file; ranges beyond it are left out
   */
  static void walk(
      List<WriteLog.Range> ranges, long blockBytes, long sizeBytes, ExtentDiff.Visitor visitor)
      throws LinuxException {
    long from = 0;
    long to = 0;
    for (WriteLog.Range range : ranges) {
      if (range.offset() >= sizeBytes) {
        break;
      }
      long first = range.offset() / blockBytes * blockBytes;
      long past = Math.min(sizeBytes - range.offset(), range.lengthBytes()) + range.offset();
      past = Math.min(sizeBytes, (past + blockBytes - 1) / blockBytes * blockBytes);
      if (first > to || to == 0) {
        visitRange(from, to, visitor);
        from = first;
      }
      to = Math.max(to, past);
    }
    visitRange(from, to, visitor);
  }

  private static void visitRange(long from, long to, ExtentDiff.Visitor visitor)
      throws LinuxException {
    if (to > from) {
      visitor.visit(from, to - from);
    }
  }
}
