// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage.image;

/** The growth of the cost of a snapshot or fork, in time and in space, from low to high. */
public enum CopyCost {
  /** It does not grow with the source. The copy shares the source's blocks. */
  CONSTANT,
  /** It grows with the number of extents of the source. The copy shares the source's blocks. */
  PER_EXTENT,
  /** It grows with the source's data, which is copied. */
  PER_BYTE
}
