// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import dev.ramet.linux.NativeBuffer;
import java.nio.ByteBuffer;

/**
 * A piece of staging memory and where its bytes belong in the image. Pages lie in it one behind the
 * other, by ascending image offset. Used by one thread at a time.
 */
final class Chunk {
  /**
   * 1024 pages: even when no two of them are neighbours, one system call reads them all, because
   * the kernel takes vectors of up to 1024 pieces.
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

  /** All of the memory, for one thread at a time; its position and limit are the caller's. */
  ByteBuffer view() {
    return view;
  }

  int roomBytes() {
    return BYTES - used;
  }

  /** How much of the memory is spoken for. */
  int usedBytes() {
    return used;
  }

  /** Makes the next bytes of the memory stand for this place in the image. */
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

  /** How many stretches of the image it holds. */
  int runs() {
    return runs;
  }

  long imageOffset(int run) {
    return imageOffsets[run];
  }

  int lengthBytes(int run) {
    return lengths[run];
  }

  /** Where in the image its first byte belongs; it must hold something. */
  long firstOffset() {
    return imageOffsets[0];
  }

  /** Where in the image its last byte ends; it must hold something. */
  long endOffset() {
    return imageOffsets[runs - 1] + lengths[runs - 1];
  }

  /** Forgets everything. */
  void clear() {
    runs = 0;
    used = 0;
  }
}
