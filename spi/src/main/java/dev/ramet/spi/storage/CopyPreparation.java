// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

/**
 * A backend that can make the next copy of a node ahead; it states {@link
 * StorageCapabilities#COPY_PREPARATION}. What a copy costs may grow with a node's history, as its
 * data falls into ever more pieces. Whoever prepares when there is time has the next {@link
 * StorageBackend#snapshot} or {@link StorageBackend#fork} of that node without that cost; the
 * results are the same.
 *
 * <p>A preparation takes metadata on disk and a little memory, and no data: but what it shares with
 * its source counts as shared in {@link StorageBackend#usage}, and blocks that a volume gave up
 * since stay until the next preparation or use. It is used up by the next copy, ends when its
 * source is changed in kind or size or deleted, and with the process. A backend keeps a limited
 * number of them.
 *
 * <p>Thread-safe. Errors are those of {@link StorageBackend}.
 */
public interface CopyPreparation {
  /**
   * Makes the next copy of a node ahead, or brings up to date what was made ahead; does nothing
   * where that is no gain. A volume may be written meanwhile by write(2) and its like, though not
   * through a mapping; what its writer waits for is bounded. Blocks until it is done, or until the
   * source is to be deleted.
   *
   * @param source a volume or snapshot
   * @param share how much of the time it may work, above 0 and at most 1: less than 1 for the
   *     background, where it rests after every piece of work, 1 right before the copy is wanted
   */
  void prepare(NodeId source, double share);

  /**
   * The same of a volume whose writer can tell what it wrote. A backend that asks it, here and in
   * {@link StorageBackend#snapshot(NodeId, NodeId, Durability, WriteLog)}, finds what the copy
   * lacks without looking at all of the volume. A log that cannot tell is no reason to fail.
   *
   * @param log of this volume, or {@link WriteLog#NONE}; nobody else takes from it
   */
  default void prepare(NodeId source, double share, WriteLog log) {
    prepare(source, share);
  }

  /** Gives up what was made ahead of a node, if anything. Does not wait. */
  void discard(NodeId source);
}
