// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

/**
 * Watches a long copy, and can stop it. Called by the thread that copies, at least every 64 MiB and
 * once at the end; it should answer at once. An interrupt of that thread stops the copy as well.
 */
@FunctionalInterface
public interface CopyProgress {
  /** Watches nothing and stops nothing. */
  CopyProgress NONE = (doneBytes, totalBytes) -> true;

  /**
   * Tells how far it is.
   *
   * @param doneBytes how far the copy has come in the source, holes included; never goes back
   * @param totalBytes the size of the source
   * @return false to stop: the operation then fails with {@code CANCELLED} and leaves nothing
   */
  boolean copied(long doneBytes, long totalBytes);
}
