// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.node;

import dev.ramet.linux.LinuxException;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.WriteLog;

/**
 * Creates the files of nodes that are copies of other nodes: each appears whole or not at all.
 * Thread-safe for different new nodes; the caller holds the source and has reserved the name.
 */
public interface Copier extends AutoCloseable {
  /**
   * Creates a snapshot in its source's directory and returns its size.
   *
   * @param log the log of the source
   */
  long snapshot(NodeIndex.Entry source, NodeId id, Durability durability, WriteLog log)
      throws LinuxException;

  /** Creates a volume in a new directory and returns its size. */
  long fork(NodeIndex.Entry source, NodeId id, Durability durability) throws LinuxException;

  /** Releases what was kept for a node that is about to be deleted, without waiting. */
  void forget(NodeId id);

  @Override
  void close();
}
