// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.tree;

/** One name in a directory of a {@link Tree}. Immutable unless its byte array is changed. */
public final class TreeName {
  private final byte[] bytes;
  private final long inode;
  private final byte type;

  TreeName(byte[] bytes, long inode, byte type) {
    this.bytes = bytes;
    this.inode = inode;
    this.type = type;
  }

  /** Returns the name; not a copy. */
  public byte[] bytes() {
    return bytes;
  }

  /** Returns the inode number of the entry. */
  public long inode() {
    return inode;
  }

  /** Returns the type of the entry, as readdir(3) gives it. */
  public byte type() {
    return type;
  }
}
