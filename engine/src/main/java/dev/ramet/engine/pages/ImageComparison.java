// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import dev.ramet.engine.snapshots.ImageDifference;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.file.Extent;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.Fiemap;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compares two images that nobody writes to. Where both files refer to the same blocks on disk, as
 * copy-on-write copies do until either is written, they are equal without being read; everything
 * else is read. The time depends on the number of extents and the amount of unshared data, not on
 * the image size. Used by one thread.
 */
public final class ImageComparison {
  private static final int PAGE = NativeBuffer.PAGE_BYTES;

  /**
   * Observes a comparison, on the thread that runs it. An exception from it ends the comparison.
   */
  public interface DifferenceListener {
    /** Reports that this many more bytes of the images were compared. */
    void onCompared(long bytes);

    /** Reports a range of differing pages; ranges come in ascending order and are not adjacent. */
    void onDifference(long offset, long length);
  }

  private static final DifferenceListener NOBODY =
      new DifferenceListener() {
        @Override
        public void onCompared(long bytes) {}

        @Override
        public void onDifference(long offset, long length) {}
      };

  private final Path pathA;
  private final Path pathB;
  private final int mostRanges;

  /**
   * Creates a comparison.
   *
   * @param a a file or block device
   * @param b another file or block device
   * @param mostRanges the largest number of ranges to list; the others are only counted
   */
  public ImageComparison(Path a, Path b, int mostRanges) {
    this.pathA = a;
    this.pathB = b;
    this.mostRanges = mostRanges;
  }

  /**
   * Compares the images.
   *
   * @throws RametException {@code CORRUPT} when an image cannot be read, {@code CANCELLED} when the
   *     thread is interrupted
   */
  public ImageDifference run() {
    return run(NOBODY);
  }

  /**
   * Compares the images.
   *
   * @param watcher receives all progress and all differing ranges, including those beyond the
   *     largest number to list
   * @throws RametException as {@link #run()}
   */
  public ImageDifference run(DifferenceListener watcher) {
    try (Fd a = Fd.openRead(pathA);
        Fd b = Fd.openRead(pathB)) {
      long sizeBytes = Math.max(a.sizeBytes(), b.sizeBytes());
      List<Extent> extentsA = extents(a);
      List<Extent> extentsB = extents(b);
      try (PageDifferences pages = new PageDifferences(a, b, sizeBytes, mostRanges, watcher)) {
        long shared = 0;
        if (extentsA == null || extentsB == null) {
          pages.compare(0, sizeBytes);
        } else {
          // Block numbers are comparable only within one file system.
          boolean comparable = a.stat().device() == b.stat().device();
          shared = walk(extentsA, extentsB, comparable, sizeBytes, pages, watcher);
        }
        return pages.result(sizeBytes, shared);
      }
    } catch (LinuxException e) {
      throw new RametException(
          ErrorCode.CORRUPT,
          "cannot compare " + pathA + " with " + pathB + ": " + e.getMessage(),
          e);
    }
  }

  private static long walk(
      List<Extent> extentsA,
      List<Extent> extentsB,
      boolean comparable,
      long sizeBytes,
      PageDifferences pages,
      DifferenceListener watcher)
      throws LinuxException {
    ExtentCursor cursorA = new ExtentCursor(extentsA);
    ExtentCursor cursorB = new ExtentCursor(extentsB);
    long shared = 0;
    long at = 0;
    while (at < sizeBytes) {
      Extent a = cursorA.extentAt(at);
      Extent b = cursorB.extentAt(at);
      long end = Math.min(cursorA.endOfRange(at, sizeBytes), cursorB.endOfRange(at, sizeBytes));
      if (a != null && b != null && comparable && shareBlocks(a, b, at)) {
        shared += end - at;
        watcher.onCompared(end - at);
      } else if (a != null || b != null) {
        pages.compare(at, end);
      } else {
        watcher.onCompared(end - at);
      }
      at = end;
    }
    return shared;
  }

  private static boolean shareBlocks(Extent a, Extent b, long at) {
    return a.isPlain()
        && b.isPlain()
        && a.physical() + (at - a.logical()) == b.physical() + (at - b.logical());
  }

  /**
   * Returns the extents of a file, or null if they cannot be listed, as for a device or on tmpfs.
   */
  private static @Nullable List<Extent> extents(Fd file) throws LinuxException {
    List<Extent> extents = new ArrayList<>();
    try {
      Fiemap.walk(file, true, extents::add);
      return extents;
    } catch (LinuxException e) {
      if (e.errno() == LinuxException.EOPNOTSUPP || e.errno() == LinuxException.ENOTTY) {
        return null;
      }
      throw e;
    }
  }

  /** Returns the start of the page that contains {@code offset}. */
  static long pageStart(long offset) {
    return offset & -PAGE;
  }
}
