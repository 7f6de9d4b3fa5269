// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot.layer;

import dev.ramet.backends.disk.Layout;
import dev.ramet.backends.dmsnapshot.record.NodeRecord;
import dev.ramet.backends.dmsnapshot.record.Records;
import dev.ramet.backends.node.Nodes;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageFinding;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Checks that the layers of all nodes exist, and finds foreign files among them. Changes nothing.
 *
 * @param layout where the nodes' files are
 * @param nodes the nodes
 * @param records the records in their files
 * @param store the layers
 */
public record LayerInspection(Layout layout, Nodes nodes, Records records, LayerStore store) {
  /** Runs the inspection once. */
  public void run(Consumer<StorageFinding> findings) {
    try {
      for (Path path : store.files().foreignFiles()) {
        findings.accept(StorageFinding.foreign(path, "not a layer"));
      }
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT, "cannot look through " + store.files().directory() + ": " + e, e);
    }
    for (Node node : nodes.list()) {
      inspect(node.id()).ifPresent(findings);
    }
  }

  /** Checks that a node's layers exist; empty if they do, or if the node is gone by now. */
  private Optional<StorageFinding> inspect(NodeId id) {
    if (nodes.find(id).isEmpty()) {
      return Optional.empty();
    }
    try {
      return nodes.use(
          id,
          "look at " + id,
          entry -> {
            NodeRecord record = records.find(id);
            Path file = layout.file(entry.origin(), id);
            if (record == null) {
              return Optional.of(StorageFinding.damage(file, "it does not say where its data is"));
            }
            return store.isWhole(record.layer())
                ? Optional.empty()
                : Optional.of(StorageFinding.damage(file, "layers of " + id + " are missing"));
          });
    } catch (RametException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }
}
