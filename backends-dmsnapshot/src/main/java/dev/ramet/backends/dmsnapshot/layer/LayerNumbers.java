// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot.layer;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;

/** Allocates the numbers of layers and devices, each once. Thread-safe. */
final class LayerNumbers {
  private long next = 1;

  /** Marks a number as used. */
  synchronized void markUsed(long number) {
    next = Math.max(next, number + 1);
  }

  /**
   * Returns a new number.
   *
   * @throws RametException {@code CORRUPT} when a number in use is so high that the name of a layer
   *     with the next one could not be parsed again
   */
  synchronized long next() {
    if (next > Layer.MAX_ID) {
      throw new RametException(
          ErrorCode.CORRUPT,
          "something among the layers has the number " + (next - 1) + ", after which there is none",
          "move it away if it is not Ramet's, and restart",
          null);
    }
    return next++;
  }
}
