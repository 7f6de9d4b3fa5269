// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

/**
 * A run of a file's blocks; see Documentation/filesystems/fiemap.rst.
 *
 * @param logical its offset in the file, in bytes
 * @param physical its offset on the device, in bytes; meaningless while {@link #isDelayed}
 * @param lengthBytes its length
 * @param flags {@code FIEMAP_EXTENT_*} of linux/fiemap.h
 */
public record Extent(long logical, long physical, long lengthBytes, int flags) {
  static final int LAST = 0x1;
  private static final int DELAYED = 0x4;
  private static final int UNWRITTEN = 0x800;
  private static final int MERGED = 0x1000;
  private static final int SHARED = 0x2000;

  /** Returns whether other files refer to the same blocks. */
  public boolean isShared() {
    return (flags & SHARED) != 0;
  }

  /**
   * Returns whether {@link #physical} is really where these bytes are stored, byte for byte. False
   * for extents that are inline, compressed, encrypted, delayed or unwritten, or have a flag
   * unknown here.
   */
  public boolean isPlain() {
    return (flags & ~(LAST | MERGED | SHARED)) == 0;
  }

  /** Returns whether it is allocated but unwritten, and reads as zeros. */
  public boolean isUnwritten() {
    return (flags & UNWRITTEN) != 0;
  }

  /** Returns whether it is only in the cache, with space reserved but no blocks assigned yet. */
  public boolean isDelayed() {
    return (flags & DELAYED) != 0;
  }
}
