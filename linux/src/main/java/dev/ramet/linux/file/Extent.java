// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

/**
 * A run of a file's blocks; see Documentation/filesystems/fiemap.rst.
 *
 * @param logical where it is in the file, in bytes
 * @param physical where it is on the device, in bytes; meaningless while {@link #isDelayed}
 * @param lengthBytes how long it is
 * @param flags {@code FIEMAP_EXTENT_*} of linux/fiemap.h
 */
public record Extent(long logical, long physical, long lengthBytes, int flags) {
  static final int LAST = 0x1;
  private static final int DELAYED = 0x4;
  private static final int UNWRITTEN = 0x800;
  private static final int MERGED = 0x1000;
  private static final int SHARED = 0x2000;

  /** Whether other files refer to the same blocks. */
  public boolean isShared() {
    return (flags & SHARED) != 0;
  }

  /**
   * Whether {@link #physical} is really where these bytes are, byte for byte: not for what is
   * inline, compressed, encrypted, delayed, unwritten, or has a flag that is unknown here.
   */
  public boolean isPlain() {
    return (flags & ~(LAST | MERGED | SHARED)) == 0;
  }

  /** Whether it is reserved and reads as zeros. */
  public boolean isUnwritten() {
    return (flags & UNWRITTEN) != 0;
  }

  /** Whether it is in the cache only, with space reserved but no place chosen yet. */
  public boolean isDelayed() {
    return (flags & DELAYED) != 0;
  }
}
