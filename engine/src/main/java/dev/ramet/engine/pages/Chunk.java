// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import dev.ramet.linux.NativeBuffer;
import java.nio.ByteBuffer;

/**
 * A piece of staging memory and the image offsets of its bytes. Its pages are contiguous in memory,
 * by ascending image offset. Used by one thread at a time.
 */
final class Chunk {
  /**
   * 1024 pages, which one system call can read even when no two of them are adjacent, because the
   * kernel accepts vectors of up to 1024 elements.
   */
  static final int BYTES = 1024 * NativeBuffer.PAGE_BYTES;

  private static final int RUNS = BYTES / NativeBuffer.PAGE_BYTES;

  private final NativeBuffer memory;
  private final ByteBuffer view;
  private final long[] imageOffsets = new long[RUNS];
  private final int[] lengths = new int[RUNS];
  private int runs;
  private int used;

  Chunk(NativeBuffer memory) {
    this.memory = memory;
    this.view = memory.view(0, BYTES);
  }

  NativeBuffer memory() {
    return memory;
  }

  /**
   * Returns all of the memory, for one thread at a time; the caller may change its position and
   * limit.
   */
  ByteBuffer view() {
    return view;
  }

  int roomBytes() {
    return BYTES - used;
  }

  /** Returns how many bytes of the memory are assigned. */
  int usedBytes() {
    return used;
  }

  /** Assigns the next bytes of the memory to this offset in the image. */
  void add(long imageOffset, int lengthBytes) {
    if (runs > 0 && imageOffsets[runs - 1] + lengths[runs - 1] == imageOffset) {
      lengths[runs - 1] += lengthBytes;
    } else {
      imageOffsets[runs] = imageOffset;
      lengths[runs] = lengthBytes;
      runs++;
    }
    used += lengthBytes;
  }

  /** Returns the number of contiguous ranges of the image that the chunk holds. */
  int runs() {
    return runs;
  }

  long imageOffset(int run) {
    return imageOffsets[run];
  }

  int lengthBytes(int run) {
    return lengths[run];
  }

  /** Returns the image offset of its first byte; the chunk must not be empty. */
  long firstOffset() {
    return imageOffsets[0];
  }

  /** Returns the image offset after its last byte; the chunk must not be empty. */
  long endOffset() {
    return imageOffsets[runs - 1] + lengths[runs - 1];
  }

  /** Removes all content. */
  void clear() {
    runs = 0;
    used = 0;
  }
}
