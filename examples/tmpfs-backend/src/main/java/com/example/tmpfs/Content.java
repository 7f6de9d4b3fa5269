// SPDX-License-Identifier: Apache-2.0
package com.example.tmpfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Copies files without their zero pages, so that a copy takes no more memory than it must. Java
 * cannot find holes (lseek(2), SEEK_DATA), so all of a file is read: a hole of a tmpfs reads at the
 * speed of memory. A plugin with native access could skip them.
 */
final class Content {
  static final int PAGE = 4096;
  private static final int BUFFER = 1 << 20;

  private Content() {}

  /** Receives each run of pages that are not zero. */
  private interface Run {
    void of(ByteBuffer bytes, long offset) throws IOException;
  }

  /** Copies the first {@code size} bytes into an empty file of at least that size. */
  static void copy(FileChannel from, FileChannel to, long size) throws IOException {
    walk(
        from,
        size,
        (bytes, offset) -> {
          long at = offset;
          while (bytes.hasRemaining()) {
            at += to.write(bytes, at);
          }
        });
  }

  /** Returns the number of bytes in pages that are not zero. */
  static long dataBytes(FileChannel file, long size) throws IOException {
    long[] sum = {0};
    walk(file, size, (bytes, offset) -> sum[0] += pages(bytes.remaining()));
    return sum[0];
  }

  private static long pages(int bytes) {
    return (bytes + PAGE - 1L) / PAGE * PAGE;
  }

  private static void walk(FileChannel file, long size, Run run) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect((int) Math.min(BUFFER, size));
    ByteBuffer zeros = ByteBuffer.allocateDirect(PAGE);
    long at = 0;
    while (at < size) {
      buffer.clear().limit((int) Math.min(buffer.capacity(), size - at));
      while (buffer.hasRemaining() && file.read(buffer, at + buffer.position()) >= 0) {
        // A read may return less than requested.
      }
      buffer.flip();
      if (!buffer.hasRemaining()) {
        return;
      }
      runs(buffer, zeros, at, run);
      at += buffer.limit();
    }
  }

  private static void runs(ByteBuffer buffer, ByteBuffer zeros, long at, Run run)
      throws IOException {
    int start = -1;
    for (int page = 0; page < buffer.limit(); page += PAGE) {
      int length = Math.min(PAGE, buffer.limit() - page);
      boolean zero = buffer.slice(page, length).mismatch(zeros.slice(0, length)) < 0;
      if (zero && start >= 0) {
        run.of(buffer.slice(start, page - start), at + start);
        start = -1;
      } else if (!zero && start < 0) {
        start = page;
      }
    }
    if (start >= 0) {
      run.of(buffer.slice(start, buffer.limit() - start), at + start);
    }
  }
}
