// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import dev.ramet.engine.snapshots.ImageDifference;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.file.Fd;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Reads parts of two files and collects the pages that differ, in ascending order. */
final class PageDifferences implements AutoCloseable {
  private static final int PAGE = NativeBuffer.PAGE_BYTES;
  private static final int CHUNK_BYTES = 1 << 20;
  private static final byte[] ZEROS = new byte[PAGE];

  private final Fd a;
  private final Fd b;
  private final long sizeBytes;
  private final int mostRanges;
  private final ImageComparison.DifferenceListener watcher;
  private final NativeBuffer bufferA;
  private final NativeBuffer bufferB;
  private final List<ImageDifference.Range> ranges = new ArrayList<>();
  private long comparedTo;
  private long comparedBytes;
  private long differingBytes;
  private long rangeCount;
  private long openStart = -1;
  private long openEnd;

  PageDifferences(
      Fd a, Fd b, long sizeBytes, int mostRanges, ImageComparison.DifferenceListener watcher)
      throws LinuxException {
    this.a = a;
    this.b = b;
    this.sizeBytes = sizeBytes;
    this.mostRanges = mostRanges;
    this.watcher = watcher;
    this.bufferA = NativeBuffer.allocate(CHUNK_BYTES);
    this.bufferB = NativeBuffer.allocate(CHUNK_BYTES);
  }

  /** Compares the pages that overlap {@code from} to {@code to}; calls come in ascending order. */
  void compare(long from, long to) throws LinuxException {
    // Extents may end within a page.
    long at = Math.max(comparedTo, ImageComparison.pageStart(from));
    long end = ImageComparison.pageStart(Math.min(to, sizeBytes) + PAGE - 1);
    while (at < end) {
      if (Thread.currentThread().isInterrupted()) {
        throw new RametException(ErrorCode.CANCELLED, "interrupted while comparing");
      }
      int n = (int) Math.min(CHUNK_BYTES, end - at);
      compareChunk(at, n);
      at += n;
    }
    comparedTo = Math.max(comparedTo, end);
  }

  private void compareChunk(long offset, int bytes) throws LinuxException {
    ByteBuffer viewA = read(a, bufferA, offset, bytes);
    ByteBuffer viewB = read(b, bufferB, offset, bytes);
    comparedBytes += bytes;
    watcher.onCompared(bytes);
    int at = 0;
    while (at < bytes) {
      int same = viewA.limit(bytes).position(at).mismatch(viewB.limit(bytes).position(at));
      if (same < 0) {
        return;
      }
      int page = (at + same) & -PAGE;
      addPage(offset + page);
      at = page + PAGE;
    }
  }

  private static ByteBuffer read(Fd file, NativeBuffer buffer, long offset, int bytes)
      throws LinuxException {
    long got = file.pread(buffer.address(), bytes, offset);
    ByteBuffer view = buffer.view(0, bytes);
    for (int at = (int) got; at < bytes; at += PAGE) {
      view.position(at).put(ZEROS, 0, Math.min(PAGE, bytes - at));
    }
    return view;
  }

  private void addPage(long offset) {
    differingBytes += PAGE;
    if (offset == openEnd && openStart >= 0) {
      openEnd += PAGE;
      return;
    }
    closeRange();
    openStart = offset;
    openEnd = offset + PAGE;
  }

  private void closeRange() {
    if (openStart >= 0) {
      rangeCount++;
      watcher.onDifference(openStart, openEnd - openStart);
      if (ranges.size() < mostRanges) {
        ranges.add(new ImageDifference.Range(openStart, openEnd - openStart));
      }
      openStart = -1;
    }
  }

  ImageDifference result(long imageBytes, long sharedBytes) {
    closeRange();
    return new ImageDifference(
        imageBytes, differingBytes, rangeCount, ranges, sharedBytes, comparedBytes);
  }

  @Override
  public void close() {
    bufferA.close();
    bufferB.close();
  }
}
