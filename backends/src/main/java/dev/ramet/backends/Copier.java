// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends;

import dev.ramet.linux.LinuxException;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.WriteLog;

/**
 * Makes the files of nodes that are copies of other nodes: each appears whole or not at all.
 * Thread-safe for different new nodes; the caller holds the source and has reserved the name.
 */
interface Copier extends AutoCloseable {
  /**
   * Makes a snapshot beside its source and returns its size.
   *
   * @param log of the source
   */
  long snapshot(NodeIndex.Entry source, NodeId id, Durability durability, WriteLog log)
      throws LinuxException;

  /** Makes a volume in a directory of its own and returns its size. */
  long fork(NodeIndex.Entry source, NodeId id, Durability durability) throws LinuxException;

  /** The node is about to be deleted: lets go of what was kept for it, without waiting. */
  void forget(NodeId id);

  @Override
  void close();
}
