// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.memory;

import java.util.Arrays;

/**
 * Ranges of pages that a capture must write, in ascending image order without overlap. Immutable.
 * Held in arrays, because a busy guest has hundreds of thousands of ranges, and in blocks, because
 * they are collected while the guest is paused: a single growing array would be copied again and
 * again, and its size would take it off the garbage collector's fast path.
 */
public final class PageRanges {
  private static final int FIELDS = 3;
  private static final int BLOCK_SHIFT = 10;
  private static final int BLOCK_RANGES = 1 << BLOCK_SHIFT;

  private final long[][] blocks;
  private final int count;
  private final long copyBytes;
  private final long zeroBytes;

  private PageRanges(long[][] blocks, int count, long copyBytes, long zeroBytes) {
    this.blocks = blocks;
    this.count = count;
    this.copyBytes = copyBytes;
    this.zeroBytes = zeroBytes;
  }

  /** Returns the number of ranges. */
  public int count() {
    return count;
  }

  /** Returns the start of range {@code i} in the memory image. */
  public long imageOffset(int i) {
    return blocks[i >> BLOCK_SHIFT][slot(i)];
  }

  /**
   * Returns the address of range {@code i} in the process, or -1 if the range is known to be zero.
   */
  public long address(int i) {
    return blocks[i >> BLOCK_SHIFT][slot(i) + 1];
  }

  /** Returns the length of range {@code i} in bytes, a multiple of the page size. */
  public long lengthBytes(int i) {
    return blocks[i >> BLOCK_SHIFT][slot(i) + 2];
  }

  /**
   * Returns whether range {@code i} is known to be zero: nothing is copied and the image gets a
   * hole.
   */
  public boolean isZero(int i) {
    return address(i) < 0;
  }

  private static int slot(int i) {
    return (i & (BLOCK_RANGES - 1)) * FIELDS;
  }

  /** Returns the total length in bytes of the ranges that must be read from the process. */
  public long copyBytes() {
    return copyBytes;
  }

  /** Returns the total length in bytes of the ranges that are known to be zero. */
  public long zeroBytes() {
    return zeroBytes;
  }

  /** Collects ranges in ascending image order and merges adjacent ones. Not thread-safe. */
  public static final class Builder {
    private long[][] blocks = {new long[BLOCK_RANGES * FIELDS]};
    private int count;
    private long copyBytes;
    private long zeroBytes;

    /** Creates an empty builder. */
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
        long[] block = blocks[(count - 1) >> BLOCK_SHIFT];
        int last = slot(count - 1);
        long end = block[last] + block[last + 2];
        if (imageOffset < end) {
          throw new IllegalArgumentException("ranges must ascend: " + imageOffset + " < " + end);
        }
        boolean follows =
            address < 0
                ? block[last + 1] < 0
                : block[last + 1] >= 0 && block[last + 1] + block[last + 2] == address;
        if (imageOffset == end && follows) {
          block[last + 2] += lengthBytes;
          return this;
        }
      }
      int index = count >> BLOCK_SHIFT;
      if (index == blocks.length) {
        blocks = Arrays.copyOf(blocks, index * 2);
      }
      if (blocks[index] == null) {
        blocks[index] = new long[BLOCK_RANGES * FIELDS];
      }
      long[] block = blocks[index];
      int at = slot(count);
      block[at] = imageOffset;
      block[at + 1] = address;
      block[at + 2] = lengthBytes;
      count++;
      return this;
    }

    /** Returns the ranges collected so far. */
    public PageRanges build() {
      long[][] built = Arrays.copyOf(blocks, (count + BLOCK_RANGES - 1) >> BLOCK_SHIFT);
      if (built.length > 0) {
        // A later add can change only this block.
        built[built.length - 1] = built[built.length - 1].clone();
      }
      return new PageRanges(built, count, copyBytes, zeroBytes);
    }
  }
}
