// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.workingset;

import dev.ramet.linux.NativeBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The parts of a memory image that machines restored from it use early. It is a hint that affects
 * only speed. Immutable.
 *
 * @param snapshotId the snapshot at whose restore it was recorded
 * @param imageBytes the size of the image
 * @param whole whether the set is complete; false when it was cut off at its size limit
 * @param ranges the parts, by ascending offset and with gaps between them
 */
public record WorkingSet(String snapshotId, long imageBytes, boolean whole, List<Range> ranges) {
  static final long PAGE = NativeBuffer.PAGE_BYTES;

  /**
   * Gaps of up to this many bytes are included: reading a little more costs less than another
   * request.
   */
  static final long GAP_BYTES = 32 << 10;

  private static final long MAX_BYTES = 256L << 20;
  private static final int MAX_SHARE = 4;

  /** Copies the list. */
  public WorkingSet {
    ranges = List.copyOf(ranges);
  }

  /** A part of the image, in whole pages. */
  public record Range(long offset, long lengthBytes) {
    long end() {
      return offset + lengthBytes;
    }
  }

  /**
   * Returns the largest size of a working set in bytes. The guest decides which pages it touches,
   * and must not decide how much the host reads.
   */
  public static long mostBytes(long imageBytes) {
    return Math.min(MAX_BYTES, imageBytes / MAX_SHARE / PAGE * PAGE);
  }

  /** Returns the total length of all ranges. */
  public long bytes() {
    return ranges.stream().mapToLong(Range::lengthBytes).sum();
  }

  /** Returns the number of pages in all ranges. */
  public long pages() {
    return bytes() / PAGE;
  }

  /**
   * Collects ranges until the size limit is reached. If a guest touches more, the lowest addresses
   * are kept, which hold the kernel and the earliest allocations. Not thread-safe.
   */
  public static final class Builder {
    private final String snapshotId;
    private final long imageBytes;
    private final List<Range> ranges = new ArrayList<>();
    private long left;
    private boolean whole = true;

    /** Creates a builder with an empty set. */
    public Builder(String snapshotId, long imageBytes) {
      this.snapshotId = snapshotId;
      this.imageBytes = imageBytes;
      this.left = mostBytes(imageBytes);
    }

    /**
     * Adds pages that follow those added before.
     *
     * @return whether more can be added
     */
    public boolean add(long offset, long lengthBytes) {
      Range last = ranges.isEmpty() ? null : ranges.get(ranges.size() - 1);
      if (last != null && offset - last.end() > GAP_BYTES) {
        last = null;
      }
      long start = last == null ? offset : last.end();
      long wanted = offset + lengthBytes - start;
      long length = Math.min(wanted, left);
      whole &= length == wanted;
      left -= length;
      if (length > 0 && last == null) {
        ranges.add(new Range(start, length));
      } else if (length > 0 && last != null) {
        ranges.set(ranges.size() - 1, new Range(last.offset(), last.lengthBytes() + length));
      }
      return whole;
    }

    /** Returns the working set of everything added. */
    public WorkingSet build() {
      return new WorkingSet(snapshotId, imageBytes, whole, ranges);
    }
  }
}
