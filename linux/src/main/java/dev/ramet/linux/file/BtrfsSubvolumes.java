// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.call.FileCalls;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Creates, captures and removes subvolumes of Btrfs, which can be captured as a whole at one
 * instant: linux/btrfs.h and btrfs-subvolume(8). Creating and capturing one takes the permissions
 * of creating a directory; removing one takes CAP_SYS_ADMIN unless the file system is mounted
 * otherwise.
 */
public final class BtrfsSubvolumes {
  private static final long SUBVOL_CREATE_V2 = 0x50009418L; // _IOW(0x94, 24, 4096 bytes)
  private static final long SNAP_CREATE_V2 = 0x50009417L; // _IOW(0x94, 23, 4096 bytes)
  private static final long SNAP_DESTROY_V2 = 0x5000943FL; // _IOW(0x94, 63, 4096 bytes)
  private static final long SUBVOL_GETFLAGS = 0x80089419L; // _IOR(0x94, 25, __u64)
  private static final long SYNC = 0x9408L; // _IO(0x94, 8)

  // struct btrfs_ioctl_vol_args_v2.
  private static final int ARGS_BYTES = 4096;
  private static final int FD = 0;
  private static final int FLAGS = 16;
  private static final int NAME = 56;
  private static final int NAME_MAX = 255;
  private static final long RDONLY = 2;

  /** BTRFS_FIRST_FREE_OBJECTID of btrfs_tree.h: the inode number of every subvolume's top. */
  private static final long TOP_INODE = 256;

  private BtrfsSubvolumes() {}

  /** Makes an empty subvolume; {@code EEXIST} when anything has that name. */
  public static void create(Path path) throws LinuxException {
    change(path, SUBVOL_CREATE_V2, "ioctl SUBVOL_CREATE_V2", 0, 0);
  }

  /**
   * Captures a subvolume in a new one, which holds everything written before and nothing written
   * after. It is durable on return, as the kernel commits a transaction for it.
   *
   * @param source the top directory of a subvolume of the same file system
   */
  public static void snapshot(Path source, Path path, boolean readOnly) throws LinuxException {
    try (Fd fd = Fd.openDirectory(source)) {
      change(path, SNAP_CREATE_V2, "ioctl SNAP_CREATE_V2", fd.number(), readOnly ? RDONLY : 0);
    }
  }

  /** Removes a subvolume with all that is in it, except other subvolumes. */
  public static void destroy(Path path) throws LinuxException {
    change(path, SNAP_DESTROY_V2, "ioctl SNAP_DESTROY_V2", 0, 0);
  }

  private static void change(Path path, long request, String call, long source, long flags)
      throws LinuxException {
    Path parent = path.toAbsolutePath().getParent();
    Path name = path.getFileName();
    if (parent == null || name == null) {
      throw new LinuxException(call, LinuxException.EINVAL, path.toString());
    }
    byte[] bytes = name.toString().getBytes(StandardCharsets.UTF_8);
    if (bytes.length > NAME_MAX) {
      throw new LinuxException(call, LinuxException.EINVAL, path.toString());
    }
    try (Fd directory = Fd.openDirectory(parent);
        Memory args = new Memory(ARGS_BYTES)) {
      args.clear();
      args.setLong(FD, source);
      args.setLong(FLAGS, flags);
      args.write(NAME, bytes, 0, bytes.length);
      int result = FileCalls.ioctl(directory.number(), request, Pointer.nativeValue(args));
      int errno = result < 0 ? Native.getLastError() : 0;
      if (result < 0) {
        throw new LinuxException(call, errno, path.toString());
      }
    }
  }

  /**
   * Returns whether a path is the top directory of a subvolume; on another file system it may be
   * wrong.
   */
  public static boolean isSubvolume(Path path) throws LinuxException {
    FileStat stat = PathCalls.stat(path);
    return stat.isDirectory() && stat.inode() == TOP_INODE;
  }

  /** Returns whether a subvolume is read-only. */
  public static boolean isReadOnly(Path subvolume) throws LinuxException {
    try (Fd fd = Fd.openDirectory(subvolume);
        Memory flags = new Memory(Long.BYTES)) {
      int result = FileCalls.ioctl(fd.number(), SUBVOL_GETFLAGS, Pointer.nativeValue(flags));
      int errno = result < 0 ? Native.getLastError() : 0;
      if (result < 0) {
        throw fd.failure("ioctl SUBVOL_GETFLAGS", errno);
      }
      return (flags.getLong(0) & RDONLY) != 0;
    }
  }

  /** Makes all changes to a Btrfs so far survive a power loss. */
  public static void sync(Path anywhere) throws LinuxException {
    try (Fd fd = Fd.openDirectory(anywhere)) {
      int result = FileCalls.ioctl(fd.number(), SYNC, 0);
      int errno = result < 0 ? Native.getLastError() : 0;
      if (result < 0) {
        throw fd.failure("ioctl BTRFS_IOC_SYNC", errno);
      }
    }
  }
}
