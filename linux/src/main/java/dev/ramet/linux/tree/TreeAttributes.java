// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.tree;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.call.CPath;
import dev.ramet.linux.call.FileCalls;
import dev.ramet.linux.call.TreeCalls;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.FileStat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/** Reads and sets the attributes of an entry of a {@link Tree} that is held open. */
public final class TreeAttributes {
  /**
   * The mode bits that untrusted users may set; the others are dropped, because no file there is
   * ever run as its owner.
   */
  public static final int KEPT_MODE = 0x3FF;

  private static final int AT_FDCWD = -100;
  private static final int AT_EMPTY_PATH = 0x1000;
  private static final int STATX_ALL = 0xFFF; // basic stats and the time of birth
  private static final long UTIME_OMIT = (1L << 30) - 2;
  private static final long UTIME_NOW = (1L << 30) - 1;
  private static final int HANDLE_HEAD = 8; // struct file_handle: its length and its type
  private static final int MAX_HANDLE = 128; // MAX_HANDLE_SZ
  private static final long NANOS = 1_000_000_000L;

  /** Makes {@link #setTimes} leave that time as it is. */
  public static final long OMIT = Long.MIN_VALUE;

  /** For {@link #setTimes}: the host's clock. */
  public static final long NOW = Long.MAX_VALUE;

  private TreeAttributes() {}

  /** Returns the attributes of an entry; a symbolic link is not followed. */
  public static TreeEntry of(Fd fd) throws LinuxException {
    try (Memory statx = new Memory(FileStat.STATX_BYTES)) {
      int result =
          FileCalls.statx(
              fd.number(), new byte[1], AT_EMPTY_PATH, STATX_ALL, Pointer.nativeValue(statx));
      Tree.check(fd, "statx", result, result < 0 ? Native.getLastError() : 0);
      return TreeEntry.read(statx, handle(fd));
    }
  }

  /**
   * Returns the file system's handle of an entry, hashed into one number, which tells it from a
   * later entry with the same inode number: name_to_handle_at(2). Returns 0 if the file system has
   * no such handles.
   */
  private static long handle(Fd fd) {
    byte[] handle = new byte[HANDLE_HEAD + MAX_HANDLE];
    ByteBuffer.wrap(handle).order(ByteOrder.nativeOrder()).putInt(0, MAX_HANDLE);
    int result =
        TreeCalls.name_to_handle_at(fd.number(), new byte[1], handle, new int[1], AT_EMPTY_PATH);
    // Any error means no handle, not only EOPNOTSUPP: the birth time also tells entries apart.
    return result < 0 ? 0 : hash(handle);
  }

  /** FNV-1a with 64 bits (draft-eastlake-fnv). */
  private static long hash(byte[] bytes) {
    long hash = 0xcbf2_9ce4_8422_2325L;
    for (byte b : bytes) {
      hash = (hash ^ (b & 0xFF)) * 0x100_0000_01b3L;
    }
    return hash;
  }

  /**
   * Sets the permission bits of an entry that {@link Tree#openAny} opened, of which {@link
   * #KEPT_MODE} is kept; {@code EINVAL} for a link.
   */
  public static void setMode(Fd fd, int mode) throws LinuxException {
    if (of(fd).isLink()) {
      throw fd.failure("fchmodat", LinuxException.EINVAL);
    }
    int result = TreeCalls.fchmodat(AT_FDCWD, procPath(fd), mode & KEPT_MODE, 0);
    Tree.check(fd, "fchmodat", result, result < 0 ? Native.getLastError() : 0);
  }

  /**
   * Sets the owner of an entry that {@link Tree#openAny} opened, of a link the link's own.
   *
   * @param uid -1 to leave it
   * @param gid -1 to leave it
   */
  public static void setOwner(Fd fd, int uid, int gid) throws LinuxException {
    int result = TreeCalls.fchownat(fd.number(), new byte[1], uid, gid, AT_EMPTY_PATH);
    Tree.check(fd, "fchownat", result, result < 0 ? Native.getLastError() : 0);
  }

  /**
   * Sets the times of an entry that {@link Tree#openAny} opened and that is no link.
   *
   * @param accessedNanos in nanoseconds since 1970, or {@link #OMIT} or {@link #NOW}
   * @param modifiedNanos likewise
   */
  public static void setTimes(Fd fd, long accessedNanos, long modifiedNanos) throws LinuxException {
    if (of(fd).isLink()) {
      return; // the times of links are never needed
    }
    try (Memory times = new Memory(4L * Long.BYTES)) {
      put(times, 0, accessedNanos);
      put(times, 2 * Long.BYTES, modifiedNanos);
      int result = TreeCalls.utimensat(AT_FDCWD, procPath(fd), Pointer.nativeValue(times), 0);
      Tree.check(fd, "utimensat", result, result < 0 ? Native.getLastError() : 0);
    }
  }

  private static void put(Memory times, int at, long nanos) {
    boolean special = nanos == OMIT || nanos == NOW;
    times.setLong(at, special ? 0 : Math.floorDiv(nanos, NANOS));
    times.setLong(
        at + Long.BYTES,
        nanos == OMIT ? UTIME_OMIT : nanos == NOW ? UTIME_NOW : Math.floorMod(nanos, NANOS));
  }

  /**
   * Returns the name by which calls without a descriptor parameter reach an open file (proc(5)).
   */
  private static byte[] procPath(Fd fd) {
    return CPath.encode(Path.of("/proc/self/fd/" + fd.number()));
  }
}
