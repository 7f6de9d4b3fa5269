// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import dev.ramet.linux.file.Extent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Goes through a file's extents in ascending order. Used by one thread. */
final class ExtentCursor {
  private final List<Extent> extents;
  private int next;

  ExtentCursor(List<Extent> extents) {
    this.extents = extents;
  }

  /**
   * Returns the extent with data at {@code offset}, or null where the file reads as zeros. The
   * offset must not decrease between calls.
   */
  @Nullable Extent extentAt(long offset) {
    while (next < extents.size() && endOffset(extents.get(next)) <= offset) {
      next++;
    }
    Extent extent = next < extents.size() ? extents.get(next) : null;
    return extent == null || extent.logical() > offset || extent.isUnwritten() ? null : extent;
  }

  /**
   * Returns where the result of {@link #extentAt} for {@code offset} stops applying; {@code most}
   * when nothing follows.
   */
  long endOfRange(long offset, long most) {
    if (next == extents.size()) {
      return most;
    }
    Extent extent = extents.get(next);
    return Math.min(most, extent.logical() > offset ? extent.logical() : endOffset(extent));
  }

  private static long endOffset(Extent extent) {
    return extent.logical() + extent.lengthBytes();
  }
}
