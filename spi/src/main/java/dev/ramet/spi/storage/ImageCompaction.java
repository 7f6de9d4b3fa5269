// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

/**
 * A backend that can lay a snapshot's data out anew, in fewer pieces; it states {@link
 * StorageCapabilities#IMAGE_COMPACTION}. An image that was written page by page through a long
 * history of copies lies in ever more pieces, and all that is done with it takes ever longer.
 *
 * <p>No byte of the snapshot changes at any moment: whoever reads it, or has it mapped, sees what
 * was there before, and a crash leaves it whole. What other nodes share of what is laid out anew
 * they keep where it was: that much space is added until they are deleted.
 *
 * <p>Thread-safe. Errors are those of {@link StorageBackend}.
 */
public interface ImageCompaction {
  /**
   * What was done.
   *
   * @param piecesBefore in how many pieces the data lay
   * @param piecesAfter in how many it lies now
   * @param writtenBytes how much was laid out anew
   * @param addedBytes how much of that other nodes have too, and keep where it was
   */
  record Compacted(long piecesBefore, long piecesAfter, long writtenBytes, long addedBytes) {}

  /**
   * Lays the parts of a snapshot out anew that lie in most pieces; does nothing where that is no
   * gain. Blocks until that is done, or until the snapshot is to be deleted. A reader may have to
   * wait for a part that is just put in its place.
   *
   * @param snapshot whose data
   * @param mostAddedBytes how much space it may add, at least 0; what nobody shares costs none
   * @param share how much of the time it may work, above 0 and at most 1, as of {@link
   *     CopyPreparation#prepare}
   * @throws dev.ramet.errors.RametException {@code CONFLICT} for a volume
   */
  Compacted compact(NodeId snapshot, long mostAddedBytes, double share);
}
