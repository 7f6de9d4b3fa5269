// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage.image;

/**
 * The format of a disk image file. It is always stated, never guessed from the content: a guest can
 * write the header of any format to the start of its raw disk.
 */
public enum ImageFormat {
  /** Byte for byte; holes are zeros. */
  RAW,
  /**
   * QEMU's format. Images that refer to other files are refused, because they could name any file.
   */
  QCOW2
}
