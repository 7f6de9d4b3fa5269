// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage.image;

/**
 * Observes a long copy and can stop it. Called by the copying thread, at least every 64 MiB and
 * once at the end; it should return at once. An interrupt of that thread stops the copy as well.
 */
@FunctionalInterface
public interface CopyProgress {
  /** Observes nothing and never stops the copy. */
  CopyProgress NONE = (doneBytes, totalBytes) -> true;

  /**
   * Reports the progress of the copy.
   *
   * @param doneBytes the position in the source, holes included; never decreases
   * @param totalBytes the size of the source
   * @return false to stop: the operation then fails with {@code CANCELLED} and leaves nothing
   *     behind
   */
  boolean copied(long doneBytes, long totalBytes);
}
