// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.call.FileCalls;

/**
 * The attributes of a file, by statx(2).
 *
 * @param sizeBytes its length
 * @param blockBytes the preferred I/O size; for a regular file a multiple of the file system's
 *     block
 * @param allocatedBytes the space it takes on disk; blocks shared with other files count in full
 * @param inode its inode number
 * @param device the file system it is on, as major number &lt;&lt; 32 | minor number
 * @param mode type and permission bits, as in inode(7)
 * @param modifiedNanos when its content was last changed, in nanoseconds since 1970
 * @param changedNanos when its content or attributes were last changed, in nanoseconds since 1970
 */
public record FileStat(
    long sizeBytes,
    int blockBytes,
    long allocatedBytes,
    long inode,
    long device,
    int mode,
    long modifiedNanos,
    long changedNanos) {
  // struct statx, linux/stat.h: the same layout on every architecture, unlike struct stat.
  public static final int STATX_BYTES = 256;
  private static final int BLOCK_SIZE = 4;
  private static final int MODE = 28;
  private static final int INODE = 32;
  private static final int SIZE = 40;
  private static final int BLOCKS = 48;
  private static final int CHANGED = 96;
  private static final int MODIFIED = 112;
  private static final int DEVICE_MAJOR = 136;
  private static final int DEVICE_MINOR = 140;

  private static final int AT_EMPTY_PATH = 0x1000;
  private static final int STATX_BASIC_STATS = 0x7ff;
  private static final byte[] EMPTY_PATH = {0};

  private static final int S_IFMT = 0xF000;
  private static final int S_IFREG = 0x8000;
  private static final int S_IFDIR = 0x4000;
  private static final int S_ISVTX = 0x200;
  private static final int SECTOR_BYTES = 512;

  static FileStat of(Fd file) throws LinuxException {
    try (Memory statx = new Memory(STATX_BYTES)) {
      int result =
          FileCalls.statx(
              file.number(),
              EMPTY_PATH,
              AT_EMPTY_PATH,
              STATX_BASIC_STATS,
              Pointer.nativeValue(statx));
      int errno = result < 0 ? Native.getLastError() : 0;
      if (result < 0) {
        throw file.failure("statx", errno);
      }
      return read(statx);
    }
  }

  static FileStat read(Memory statx) {
    return new FileStat(
        statx.getLong(SIZE),
        statx.getInt(BLOCK_SIZE),
        statx.getLong(BLOCKS) * SECTOR_BYTES,
        statx.getLong(INODE),
        ((long) statx.getInt(DEVICE_MAJOR) << 32) | statx.getInt(DEVICE_MINOR),
        statx.getShort(MODE) & 0xFFFF,
        nanos(statx, MODIFIED),
        nanos(statx, CHANGED));
  }

  /** Reads a struct statx_timestamp: 64 bits of seconds, 32 of nanoseconds. */
  private static long nanos(Memory statx, int at) {
    return statx.getLong(at) * 1_000_000_000L + statx.getInt(at + Long.BYTES);
  }

  /** Returns whether it is a regular file. */
  public boolean isRegularFile() {
    return (mode & S_IFMT) == S_IFREG;
  }

  /** Returns whether it is a directory. */
  public boolean isDirectory() {
    return (mode & S_IFMT) == S_IFDIR;
  }

  /** Returns whether it has the sticky bit, which means nothing to Linux on a file (inode(7)). */
  public boolean isSticky() {
    return (mode & S_ISVTX) != 0;
  }
}
