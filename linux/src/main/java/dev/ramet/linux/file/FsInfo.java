// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.call.CPath;
import dev.ramet.linux.call.FileCalls;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/**
 * The file system that a path is on, by statfs(2).
 *
 * @param type its magic number, from linux/magic.h
 * @param typeName its name, or the number in hexadecimal if it is not a common one
 * @param totalBytes its size
 * @param freeBytes how much an ordinary user may still write
 * @param readOnly whether it is mounted read-only
 */
public record FsInfo(
    long type, String typeName, long totalBytes, long freeBytes, boolean readOnly) {
  /** The magic number of XFS. */
  public static final long XFS = 0x58465342L;

  /** The magic number of Btrfs. */
  public static final long BTRFS = 0x9123683EL;

  /** The magic number that ext2, ext3 and ext4 share. */
  public static final long EXT4 = 0xEF53L;

  /** The magic number of tmpfs. */
  public static final long TMPFS = 0x01021994L;

  private static final Map<Long, String> NAMES =
      Map.ofEntries(
          Map.entry(XFS, "xfs"),
          Map.entry(BTRFS, "btrfs"),
          Map.entry(EXT4, "ext4"),
          Map.entry(TMPFS, "tmpfs"),
          Map.entry(0x794C7630L, "overlay"),
          Map.entry(0x858458F6L, "ramfs"),
          Map.entry(0x6969L, "nfs"),
          Map.entry(0xFF534D42L, "cifs"),
          Map.entry(0x65735546L, "fuse"),
          Map.entry(0x01021997L, "9p"),
          Map.entry(0xF2F52010L, "f2fs"),
          Map.entry(0x2FC12FC1L, "zfs"),
          Map.entry(0xCA451A4EL, "bcachefs"),
          Map.entry(0x73717368L, "squashfs"),
          Map.entry(0xE0F5E1E2L, "erofs"));

  // struct statfs of 64-bit architectures, asm-generic/statfs.h: every word has 8 bytes.
  private static final int STATFS_BYTES = 120;
  private static final int TYPE = 0;
  private static final int BLOCKS = 16;
  private static final int BLOCKS_AVAILABLE = 32;
  private static final int FRAGMENT_BYTES = 72;
  private static final int FLAGS = 80;
  private static final long ST_RDONLY = 1;

  /** Asks about the file system of an existing path. */
  public static FsInfo of(Path path) throws LinuxException {
    try (Memory statfs = new Memory(STATFS_BYTES)) {
      int result = FileCalls.statfs(CPath.encode(path), Pointer.nativeValue(statfs));
      int errno = result < 0 ? Native.getLastError() : 0;
      if (result < 0) {
        throw new LinuxException("statfs", errno, path.toString());
      }
      long type = statfs.getLong(TYPE) & 0xFFFF_FFFFL;
      long unit = statfs.getLong(FRAGMENT_BYTES);
      return new FsInfo(
          type,
          NAMES.getOrDefault(type, "0x" + Long.toHexString(type).toUpperCase(Locale.ROOT)),
          statfs.getLong(BLOCKS) * unit,
          statfs.getLong(BLOCKS_AVAILABLE) * unit,
          (statfs.getLong(FLAGS) & ST_RDONLY) != 0);
    }
  }

  /**
   * Describes the file system of a path for people; returns only the path for a device or if the
   * file system is unknown.
   */
  public static String describe(Path where) {
    try {
      FileStat stat = PathCalls.stat(where);
      if (!stat.isRegularFile() && !stat.isDirectory()) {
        return where.toString();
      }
      FsInfo info = of(where);
      return "%s (%s, %d of %d MiB free)"
          .formatted(where, info.typeName, info.freeBytes >> 20, info.totalBytes >> 20);
    } catch (LinuxException e) {
      return where.toString();
    }
  }
}
