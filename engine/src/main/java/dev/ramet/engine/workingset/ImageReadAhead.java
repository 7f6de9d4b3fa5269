// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.workingset;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.CachedPages;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.PageCache;
import java.util.function.BooleanSupplier;

/** Reads the pages of a working set into the page cache. */
public final class ImageReadAhead {
  private ImageReadAhead() {}

  /**
   * Begins to read the pages that are not cached; does not wait for the disk.
   *
   * @param image the memory image
   * @param stopped whether to stop early
   * @return the bytes that are being read, and those that were cached
   */
  public static long[] begin(Fd image, WorkingSet set, BooleanSupplier stopped)
      throws LinuxException {
    long[] sums = new long[2];
    try (CachedPages cache = CachedPages.of(image, set.imageBytes())) {
      for (WorkingSet.Range range : set.ranges()) {
        if (stopped.getAsBoolean()) {
          break;
        }
        cache.reportRuns(
            range.offset(),
            range.lengthBytes(),
            (offset, length, cached) -> {
              sums[cached ? 1 : 0] += length;
              if (!cached) {
                PageCache.beginReadAhead(image, offset, length);
              }
            });
      }
    }
    return sums;
  }
}
