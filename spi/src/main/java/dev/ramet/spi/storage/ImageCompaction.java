// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

/**
 * A backend that can rewrite a snapshot's data in fewer extents; it states {@link
 * StorageFeature#IMAGE_COMPACTION}. An image written page by page through a long history of copies
 * is split into more and more extents, and every operation on it takes longer.
 *
 * <p>No byte of the snapshot changes at any moment: its readers and mappings see the same content
 * as before, and a crash leaves it whole. Rewritten data that other nodes share stays where it was
 * for them: that much space is added until they are deleted.
 *
 * <p>Thread-safe. Errors are those of {@link StorageBackend}.
 */
public interface ImageCompaction {
  /**
   * The result of a compaction.
   *
   * @param piecesBefore the number of extents before
   * @param piecesAfter the number of extents now
   * @param writtenBytes how much was rewritten
   * @param addedBytes how much of that is still referenced at its old place by other nodes
   */
  record Compacted(long piecesBefore, long piecesAfter, long writtenBytes, long addedBytes) {}

  /**
   * Rewrites the most fragmented parts of a snapshot; does nothing if there is no benefit. Blocks
   * until that is done, or until the snapshot is about to be deleted. A reader may have to wait
   * while a rewritten part is put in place.
   *
   * @param snapshot the snapshot whose data is rewritten
   * @param mostAddedBytes how much space it may add, at least 0; data that nobody shares costs none
   * @param share the share of the time it may work, above 0 and at most 1, as for {@link
   *     CopyPreparation#prepare}
   * @throws dev.ramet.errors.RametException {@code CONFLICT} for a volume
   */
  Compacted compact(NodeId snapshot, long mostAddedBytes, double share);
}
