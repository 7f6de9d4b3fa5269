// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.tree;

/** One name in a directory of a {@link Tree}. Immutable as long as nobody changes its bytes. */
public final class TreeName {
  private final byte[] bytes;
  private final long inode;
  private final byte type;

  TreeName(byte[] bytes, long inode, byte type) {
    this.bytes = bytes;
    this.inode = inode;
    this.type = type;
  }

  /** The name; not a copy. */
  public byte[] bytes() {
    return bytes;
  }

  /** The inode number of what has it. */
  public long inode() {
    return inode;
  }

  /** What that is, as readdir(3) says it. */
  public byte type() {
    return type;
  }
}
