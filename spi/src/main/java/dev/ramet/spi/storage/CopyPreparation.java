// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

/**
 * A backend that can prepare the next copy of a node in advance; it states {@link
 * StorageFeature#COPY_PREPARATION}. The cost of a copy may grow with a node's history, as its data
 * is split into more and more extents. After a preparation in idle time, the next {@link
 * StorageBackend#snapshot} or {@link StorageBackend#fork} of that node avoids that cost; the
 * results are the same.
 *
 * <p>A preparation takes metadata on disk and a little memory, but no data. However, blocks it
 * shares with its source count as shared in {@link StorageBackend#usage}, and blocks that a volume
 * has given up since then are freed only by the next preparation or use. A preparation is consumed
 * by the next copy. It is dropped if its source changes in kind or size or is deleted, and when the
 * process ends. A backend keeps a limited number of them.
 *
 * <p>Thread-safe. Errors are those of {@link StorageBackend}.
 */
public interface CopyPreparation {
  /**
   * Prepares the next copy of a node, or updates an existing preparation; does nothing if there is
   * no benefit. A volume may be written meanwhile by write(2) and similar calls, but not through a
   * mapping; the time its writer waits is bounded. Blocks until it is done, or until the source is
   * about to be deleted.
   *
   * @param source a volume or snapshot
   * @param share the share of the time it may work, above 0 and at most 1: less than 1 in the
   *     background, where it rests after every piece of work; 1 right before the copy is wanted
   */
  void prepare(NodeId source, double share);

  /**
   * Prepares the next copy of a volume whose writes are logged. With the log, here and in {@link
   * StorageBackend#snapshot(NodeId, NodeId, Durability, WriteLog)}, a backend finds what the copy
   * lacks without examining the whole volume. A log that cannot tell what was written does not make
   * the call fail.
   *
   * @param source a volume or snapshot
   * @param share as for {@link #prepare(NodeId, double)}
   * @param log the log of this volume, or {@link WriteLog#NONE}; nobody else takes from it
   */
  default void prepare(NodeId source, double share, WriteLog log) {
    prepare(source, share);
  }

  /** Discards the preparation for a node, if there is one. Does not wait. */
  void discard(NodeId source);
}
