// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import dev.ramet.backends.disk.HostErrors;
import dev.ramet.backends.disk.Layout;
import dev.ramet.backends.dmsnapshot.layer.Layer;
import dev.ramet.backends.dmsnapshot.layer.LayerInspection;
import dev.ramet.backends.dmsnapshot.layer.LayerStore;
import dev.ramet.backends.dmsnapshot.record.NodeRecord;
import dev.ramet.backends.dmsnapshot.record.Records;
import dev.ramet.backends.root.ReadOnlyRoot;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.PathCalls;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageFinding;
import dev.ramet.spi.storage.Usage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A root opened for examination only: the files of nodes and layers as they are. Devices are
 * neither created nor queried, so that machines can go on using existing ones. Thread-safe.
 */
final class ReadOnlyLayers extends ReadOnlyRoot {
  private final Records records;
  private final LayerStore store;

  /**
   * Reads the root's nodes and layers.
   *
   * @param store a store without any layers yet
   */
  ReadOnlyLayers(Layout layout, Fd lock, LayerStore store) throws LinuxException, IOException {
    super(layout, lock, DmSnapshotBackend.OWN_NAMES);
    this.store = store;
    for (Layer layer : store.files().listLayers()) {
      store.registerExamined(layer);
    }
    store.countParents();
    Map<NodeId, NodeRecord> found = new HashMap<>();
    for (Node node : list()) {
      try (Fd fd = Fd.openRead(layout.file(node.origin(), node.id()))) {
        NodeRecord record = NodeRecord.read(fd);
        if (record != null) {
          found.put(node.id(), record);
          store.addUser(record.layer());
        }
      }
    }
    this.records = new Records(found);
  }

  @Override
  public Usage usage(NodeId id) {
    return nodes()
        .use(id, "find out the usage of " + id, entry -> store.usage(records.require(id).layer()));
  }

  /** Refuses to delete a node, because only an open root knows whether devices use its layers. */
  @Override
  public void delete(NodeId id) {
    if (find(id).isPresent()) {
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          id + " may have a device, whose layers are removed with it",
          "start a host, which removes it",
          null);
    }
  }

  @Override
  public void inspect(boolean mend, Consumer<StorageFinding> findings) {
    super.inspect(mend, findings);
    new LayerInspection(layout(), nodes(), records, store).run(findings);
    try {
      for (Path path : store.files().unfinishedFiles()) {
        StorageFinding finding =
            StorageFinding.leftover(
                path, "a layer that was not finished", PathCalls.stat(path).allocatedBytes());
        if (mend) {
          PathCalls.unlink(path);
          finding = finding.mended();
        }
        findings.accept(finding);
      }
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "look through the layers", store.files().directory());
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT, "cannot look through " + store.files().directory() + ": " + e, e);
    }
  }
}
