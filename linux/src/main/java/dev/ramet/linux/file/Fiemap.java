// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.call.FileCalls;
import java.util.function.Consumer;

/** Lists the extents of a file by {@code FS_IOC_FIEMAP}. */
public final class Fiemap {
  private static final long FS_IOC_FIEMAP = 0xC020660BL; // _IOWR('f', 11, struct fiemap)
  private static final int FLAG_SYNC = 1;

  // struct fiemap and struct fiemap_extent, linux/fiemap.h.
  private static final int START = 0;
  private static final int LENGTH = 8;
  private static final int FLAGS = 16;
  private static final int MAPPED = 20;
  private static final int CAPACITY = 24;
  private static final int HEADER_BYTES = 32;
  private static final int EXTENT_PHYSICAL = 8;
  private static final int EXTENT_LENGTH = 16;
  private static final int EXTENT_FLAGS = 40;
  private static final int EXTENT_BYTES = 56;

  /** Extents a call; 28 KiB, of which a file with fewer than 512 extents needs one. */
  private static final int PAGE = 512;

  private Fiemap() {}

  /**
   * Visits the extents in file order, in batches; changes made meanwhile may or may not be seen.
   *
   * @param sync whether to write dirty pages first, so that no extent is delayed
   * @throws LinuxException {@code EOPNOTSUPP} on file systems without it, such as tmpfs
   */
  public static void walk(Fd file, boolean sync, Consumer<Extent> visitor) throws LinuxException {
    try (Memory page = new Memory(HEADER_BYTES + (long) PAGE * EXTENT_BYTES)) {
      long start = 0;
      while (true) {
        int mapped = read(file, page, start, PAGE, sync);
        boolean last = mapped == 0;
        for (int i = 0; i < mapped; i++) {
          Extent extent = extent(page, HEADER_BYTES + (long) i * EXTENT_BYTES);
          visitor.accept(extent);
          start = extent.logical() + extent.lengthBytes();
          last |= (extent.flags() & Extent.LAST) != 0;
        }
        if (last) {
          return;
        }
      }
    }
  }

  /**
   * Returns whether a file has more extents than the given number, without reading more than that.
   * Dirty pages do not count.
   *
   * @param extents at most 511
   */
  public static boolean hasMoreThan(Fd file, int extents) throws LinuxException {
    int capacity = Math.min(extents + 1, PAGE);
    try (Memory page = new Memory(HEADER_BYTES + (long) capacity * EXTENT_BYTES)) {
      return read(file, page, 0, capacity, false) > extents;
    }
  }

  private static int read(Fd file, Memory page, long start, int capacity, boolean sync)
      throws LinuxException {
    page.clear(HEADER_BYTES);
    page.setLong(START, start);
    page.setLong(LENGTH, Long.MAX_VALUE - start);
    page.setInt(FLAGS, sync ? FLAG_SYNC : 0);
    page.setInt(CAPACITY, capacity);
    int result = FileCalls.ioctl(file.number(), FS_IOC_FIEMAP, Pointer.nativeValue(page));
    int errno = result < 0 ? Native.getLastError() : 0;
    if (result < 0) {
      throw file.failure("ioctl FIEMAP", errno);
    }
    return page.getInt(MAPPED);
  }

  private static Extent extent(Memory page, long at) {
    return new Extent(
        page.getLong(at),
        page.getLong(at + EXTENT_PHYSICAL),
        page.getLong(at + EXTENT_LENGTH),
        page.getInt(at + EXTENT_FLAGS));
  }
}
