// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.workingset;

import dev.ramet.linux.NativeBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Parts of a memory image that machines restored from it use at once. A hint: nothing but speed
 * depends on it. Immutable.
 *
 * @param snapshotId the snapshot whose restore it was found at
 * @param imageBytes the size of the image
 * @param whole whether it is all that was found; false when it was cut at its bound
 * @param ranges by ascending offset, with gaps between them
 */
public record WorkingSet(String snapshotId, long imageBytes, boolean whole, List<Range> ranges) {
  static final long PAGE = NativeBuffer.PAGE_BYTES;

  /**
   * Gaps up to this are taken in, in bytes: reading a little more costs less than one more request.
   */
  static final long GAP_BYTES = 32 << 10;

  private static final long MOST_BYTES = 256L << 20;
  private static final int MOST_SHARE = 4;

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
   * The most that is kept of an image, in bytes: a guest decides what it touches, and must not
   * decide how much the host reads.
   */
  public static long mostBytes(long imageBytes) {
    return Math.min(MOST_BYTES, imageBytes / MOST_SHARE / PAGE * PAGE);
  }

  /** The length of all ranges. */
  public long bytes() {
    return ranges.stream().mapToLong(Range::lengthBytes).sum();
  }

  /** How many pages that is. */
  public long pages() {
    return bytes() / PAGE;
  }

  /**
   * Collects ranges, until the bound is reached: of a guest that touches more, the lowest addresses
   * are kept, where kernels lie and what was allocated first. Not thread-safe.
   */
  public static final class Builder {
    private final String snapshotId;
    private final long imageBytes;
    private final List<Range> ranges = new ArrayList<>();
    private long left;
    private boolean whole = true;

    /** Nothing of an image yet. */
    public Builder(String snapshotId, long imageBytes) {
      this.snapshotId = snapshotId;
      this.imageBytes = imageBytes;
      this.left = mostBytes(imageBytes);
    }

    /**
     * Adds pages behind those added before.
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

    /** What was added. */
    public WorkingSet build() {
      return new WorkingSet(snapshotId, imageBytes, whole, ranges);
    }
  }
}
