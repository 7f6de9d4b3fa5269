// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.tree;

import com.sun.jna.Memory;

/**
 * The attributes of an entry of a {@link Tree}, by statx(2), and its identity.
 *
 * @param identity the same as long as the entry exists, and different for a later entry even if the
 *     file system reuses the inode number: computed from that number, the birth time and the file
 *     system's handle of the entry, which includes a generation count. If the file system has no
 *     handles, a later entry created within the same tick of the kernel's clock (10 ms at most)
 *     gets the same identity
 * @param inode its inode number
 * @param mode type and permission bits, as in inode(7)
 * @param links how many names it has
 * @param owner its owner and group
 * @param space its length and the space it takes
 * @param times when it was read and changed
 */
public record TreeEntry(
    long identity, long inode, int mode, int links, Owner owner, Space space, Times times) {
  /**
   * The owner of an entry.
   *
   * @param uid its owner
   * @param gid its group
   */
  public record Owner(int uid, int gid) {}

  /**
   * The length of an entry and the space that it takes.
   *
   * @param sizeBytes its length
   * @param blocks the space it takes on disk, in units of 512 bytes
   */
  public record Space(long sizeBytes, long blocks) {}

  /**
   * When an entry was read and changed, in nanoseconds since 1970.
   *
   * @param accessedNanos when it was last read
   * @param modifiedNanos when its content was last changed
   * @param changedNanos when its content or attributes were last changed
   */
  public record Times(long accessedNanos, long modifiedNanos, long changedNanos) {}

  // struct statx, linux/stat.h.
  private static final int LINKS = 16;
  private static final int UID = 20;
  private static final int GID = 24;
  private static final int MODE = 28;
  private static final int INODE = 32;
  private static final int SIZE = 40;
  private static final int BLOCKS = 48;
  private static final int ACCESSED = 64;
  private static final int BORN = 80;
  private static final int CHANGED = 96;
  private static final int MODIFIED = 112;

  private static final int S_IFMT = 0xF000;
  private static final int S_IFREG = 0x8000;
  private static final int S_IFDIR = 0x4000;
  private static final int S_IFLNK = 0xA000;
  private static final int PERMISSIONS = 0xFFF;
  private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

  static TreeEntry read(Memory statx, long handle) {
    long inode = statx.getLong(INODE);
    return new TreeEntry(
        inode ^ (nanos(statx, BORN) * SPREAD) ^ handle,
        inode,
        statx.getShort(MODE) & 0xFFFF,
        statx.getInt(LINKS),
        new Owner(statx.getInt(UID), statx.getInt(GID)),
        new Space(statx.getLong(SIZE), statx.getLong(BLOCKS)),
        new Times(nanos(statx, ACCESSED), nanos(statx, MODIFIED), nanos(statx, CHANGED)));
  }

  private static long nanos(Memory statx, int at) {
    return statx.getLong(at) * 1_000_000_000L + statx.getInt(at + Long.BYTES);
  }

  /** Returns this part of {@link #owner}. */
  public int uid() {
    return owner.uid();
  }

  /** Returns this part of {@link #owner}. */
  public int gid() {
    return owner.gid();
  }

  /** Returns this part of {@link #space}. */
  public long sizeBytes() {
    return space.sizeBytes();
  }

  /** Returns this part of {@link #space}. */
  public long blocks() {
    return space.blocks();
  }

  /** Returns this part of {@link #times}. */
  public long accessedNanos() {
    return times.accessedNanos();
  }

  /** Returns this part of {@link #times}. */
  public long modifiedNanos() {
    return times.modifiedNanos();
  }

  /** Returns this part of {@link #times}. */
  public long changedNanos() {
    return times.changedNanos();
  }

  /** Returns whether it is a regular file. */
  public boolean isFile() {
    return (mode & S_IFMT) == S_IFREG;
  }

  /** Returns whether it is a directory. */
  public boolean isDirectory() {
    return (mode & S_IFMT) == S_IFDIR;
  }

  /** Returns whether it is a symbolic link. */
  public boolean isLink() {
    return (mode & S_IFMT) == S_IFLNK;
  }

  /** Returns the permission bits alone. */
  public int permissions() {
    return mode & PERMISSIONS;
  }
}
