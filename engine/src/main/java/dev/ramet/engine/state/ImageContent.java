// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import org.jspecify.annotations.Nullable;

/**
 * Checksums of a snapshot's images. They stay the same wherever the snapshot is kept and whatever
 * it is called there.
 *
 * @param disk the disk
 * @param memory the memory image, or null
 */
public record ImageContent(Image disk, @Nullable Image memory) {
  /**
   * The checksum of an image.
   *
   * @param sizeBytes the number of bytes covered, from the start of the image; the rest is zeros
   * @param sha256 the checksum of these bytes, with holes read as zeros: as sha256sum(1) prints it,
   *     or by blocks, as increments have it
   */
  public record Image(long sizeBytes, String sha256) {}
}
