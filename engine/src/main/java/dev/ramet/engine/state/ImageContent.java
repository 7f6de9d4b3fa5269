// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import org.jspecify.annotations.Nullable;

/**
 * What the images of a snapshot hold, which is the same wherever it is kept and whatever it is
 * called there.
 *
 * @param disk the disk
 * @param memory the memory image, or null
 */
public record ImageContent(Image disk, @Nullable Image memory) {
  /**
   * An image.
   *
   * @param sizeBytes how much of it was looked at, from its start; what follows is zeros
   * @param sha256 of that, holes as zeros, as sha256sum(1) prints it
   */
  public record Image(long sizeBytes, String sha256) {}
}
