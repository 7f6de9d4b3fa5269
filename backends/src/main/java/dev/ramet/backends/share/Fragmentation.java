// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.share;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Extent;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.Fiemap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/** Counts the extents of a file's data and finds its most fragmented parts. Used by one thread. */
final class Fragmentation implements Consumer<Extent> {
  /** A part is at most this large: a reader waits while one is put in its place. */
  private static final long PART_BYTES = 1 << 20;

  /** Data in extents of this size on average counts as not fragmented. */
  private static final long WELL_BYTES = 32 << 10;

  /** A piece of this size stays where it is, and ends a part. */
  private static final long LARGE_BYTES = 256 << 10;

  private static final int FEW_PIECES = 8;

  private final List<Part> parts = new ArrayList<>();
  private long pieces;
  private long logicalEnd = -1;
  private long physicalEnd = -1;
  private long start;
  private long end;
  private int inPart;
  private long shared;

  private Fragmentation() {}

  /**
   * Data without holes that is split into many extents.
   *
   * @param sharedBytes how much of it is shared with other files
   */
  record Part(long offset, long lengthBytes, int pieces, long sharedBytes) {
    private long averageBytes() {
      return lengthBytes / pieces;
    }
  }

  /** Reads the extents of a file, after writing its dirty data. */
  static Fragmentation of(Fd file) throws LinuxException {
    Fragmentation fragments = new Fragmentation();
    Fiemap.walk(file, true, fragments);
    fragments.endPart();
    return fragments;
  }

  @Override
  public void accept(Extent extent) {
    boolean goesOn =
        extent.isPlain() && extent.logical() == logicalEnd && extent.physical() == physicalEnd;
    logicalEnd = extent.logical() + extent.lengthBytes();
    physicalEnd = extent.isPlain() ? extent.physical() + extent.lengthBytes() : -1;
    pieces += goesOn ? 0 : 1;
    if (!extent.isPlain() || extent.lengthBytes() >= LARGE_BYTES) {
      endPart();
      return;
    }
    if (extent.logical() != end || end + extent.lengthBytes() - start > PART_BYTES) {
      endPart();
      start = extent.logical();
    }
    end = logicalEnd;
    inPart += goesOn && inPart > 0 ? 0 : 1;
    shared += extent.isShared() ? extent.lengthBytes() : 0;
  }

  private void endPart() {
    if (inPart >= FEW_PIECES && (end - start) / inPart <= WELL_BYTES) {
      parts.add(new Part(start, end - start, inPart, shared));
    }
    start = -1;
    end = -1;
    inPart = 0;
    shared = 0;
  }

  /** Returns the total number of extents. */
  long pieces() {
    return pieces;
  }

  /**
   * Returns the parts to rewrite, those with the smallest extents first.
   *
   * @param mostBytes the maximum of all parts
   * @param mostSharedBytes the maximum of shared bytes in them
   */
  List<Part> worst(long mostBytes, long mostSharedBytes) {
    List<Part> chosen = new ArrayList<>();
    long left = mostBytes;
    long sharedLeft = mostSharedBytes;
    parts.sort(Comparator.comparingLong(Part::averageBytes));
    for (Part part : parts) {
      if (part.lengthBytes() <= left && part.sharedBytes() <= sharedLeft) {
        chosen.add(part);
        left -= part.lengthBytes();
        sharedLeft -= part.sharedBytes();
      }
    }
    return chosen;
  }
}
