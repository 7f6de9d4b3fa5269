// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.memory;

import java.util.Arrays;

/**
 * Ranges of pages that a capture must write, in ascending image order without overlap. Immutable.
 * Held in arrays, because a busy guest has hundreds of thousands of them.
 */
public final class PageRanges {
  private static final int FIELDS = 3;

  private final long[] data;
  private final int count;
  private final long copyBytes;
  private final long zeroBytes;

  private PageRanges(long[] data, int count, long copyBytes, long zeroBytes) {
    this.data = data;
    this.count = count;
    this.copyBytes = copyBytes;
    this.zeroBytes = zeroBytes;
  }

  /** How many ranges. */
  public int count() {
    return count;
  }

  /** Where range {@code i} starts in the memory image. */
  public long imageOffset(int i) {
    return data[i * FIELDS];
  }

  /** Where range {@code i} starts in the process, or -1 for a range that is known to be zero. */
  public long address(int i) {
    return data[i * FIELDS + 1];
  }

  /** The length of range {@code i}, a multiple of the page size. */
  public long lengthBytes(int i) {
    return data[i * FIELDS + 2];
  }

  /**
   * Whether range {@code i} is known to read as zeros: nothing is copied, the image gets a hole.
   */
  public boolean isZero(int i) {
    return address(i) < 0;
  }

  /** The length of all ranges that must be read from the process. */
  public long copyBytes() {
    return copyBytes;
  }

  /** The length of all ranges that are known to be zero. */
  public long zeroBytes() {
    return zeroBytes;
  }

  /** Collects ranges in ascending image order and merges neighbours. Not thread-safe. */
  public static final class Builder {
    private long[] data = new long[FIELDS * 256];
    private int count;
    private long copyBytes;
    private long zeroBytes;

    /** An empty builder. */
    public Builder() {}

    /** Adds pages that must be copied from {@code address}. */
    public Builder copy(long imageOffset, long address, long lengthBytes) {
      copyBytes += lengthBytes;
      return add(imageOffset, address, lengthBytes);
    }

    /** Adds pages that are known to be zero. */
    public Builder zero(long imageOffset, long lengthBytes) {
      zeroBytes += lengthBytes;
      return add(imageOffset, -1, lengthBytes);
    }

    private Builder add(long imageOffset, long address, long lengthBytes) {
      if (count > 0) {
        int last = (count - 1) * FIELDS;
        long end = data[last] + data[last + 2];
        if (imageOffset < end) {
          throw new IllegalArgumentException("ranges must ascend: " + imageOffset + " < " + end);
        }
        boolean follows =
            address < 0
                ? data[last + 1] < 0
                : data[last + 1] >= 0 && data[last + 1] + data[last + 2] == address;
        if (imageOffset == end && follows) {
          data[last + 2] += lengthBytes;
          return this;
        }
      }
      if (count * FIELDS == data.length) {
        data = Arrays.copyOf(data, data.length * 2);
      }
      data[count * FIELDS] = imageOffset;
      data[count * FIELDS + 1] = address;
      data[count * FIELDS + 2] = lengthBytes;
      count++;
      return this;
    }

    /** The ranges collected so far. */
    public PageRanges build() {
      return new PageRanges(Arrays.copyOf(data, count * FIELDS), count, copyBytes, zeroBytes);
    }
  }
}
