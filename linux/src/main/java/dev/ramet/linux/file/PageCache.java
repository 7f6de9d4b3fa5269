// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.call.FileCalls;

/** Advises the kernel on the page cache of a file: posix_fadvise(2). */
public final class PageCache {
  private static final int POSIX_FADV_WILLNEED = 3;
  private static final int POSIX_FADV_DONTNEED = 4;

  // mm/readahead.c reads no more in one call than the device's readahead size or its largest
  // request, whichever is larger; this is the default of the former, and below the latter.
  private static final long READ_AHEAD_BYTES = 128 << 10;

  private PageCache() {}

  /**
   * Begins to read a range of a file and does not wait for it ({@code POSIX_FADV_WILLNEED}), except
   * while the device's queue is full. Cached parts are not read again.
   */
  public static void beginReadAhead(Fd file, long offset, long lengthBytes) throws LinuxException {
    for (long done = 0; done < lengthBytes; done += READ_AHEAD_BYTES) {
      long piece = Math.min(READ_AHEAD_BYTES, lengthBytes - done);
      advise(file, offset + done, piece, POSIX_FADV_WILLNEED);
    }
  }

  /**
   * Drops clean pages of a range from the cache ({@code POSIX_FADV_DONTNEED}); length 0 means to
   * the end.
   */
  public static void drop(Fd file, long offset, long lengthBytes) throws LinuxException {
    advise(file, offset, lengthBytes, POSIX_FADV_DONTNEED);
  }

  private static void advise(Fd file, long offset, long lengthBytes, int advice)
      throws LinuxException {
    int errno = FileCalls.posix_fadvise(file.number(), offset, lengthBytes, advice);
    if (errno != 0) {
      throw file.failure("posix_fadvise", errno);
    }
  }
}
