// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot.record;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.NodeId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The in-memory copy of the nodes' records. Thread-safe. */
public final class Records {
  private final Map<NodeId, NodeRecord> records;

  public Records(Map<NodeId, NodeRecord> found) {
    this.records = new ConcurrentHashMap<>(found);
  }

  /** Returns a node's record. Throws {@code CORRUPT} if the node's file had no readable one. */
  public NodeRecord require(NodeId id) {
    NodeRecord record = find(id);
    if (record == null) {
      throw new RametException(
          ErrorCode.CORRUPT,
          "the file of " + id + " does not say where its data is",
          "restore it from a backup, or delete the node",
          null);
    }
    return record;
  }

  /** Returns a node's record, or null if there is none. */
  public @Nullable NodeRecord find(NodeId id) {
    return records.get(id);
  }

  public void put(NodeId id, NodeRecord record) {
    records.put(id, record);
  }

  public @Nullable NodeRecord remove(NodeId id) {
    return records.remove(id);
  }
}
