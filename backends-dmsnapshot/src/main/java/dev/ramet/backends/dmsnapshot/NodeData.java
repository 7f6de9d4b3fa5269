// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import dev.ramet.backends.dmsnapshot.layer.Layer;
import dev.ramet.backends.dmsnapshot.layer.LayerStore;
import dev.ramet.backends.dmsnapshot.layer.LiveDevices;
import dev.ramet.backends.dmsnapshot.record.NodeRecord;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;

/** Makes the data of nodes durable. Thread-safe, provided that callers hold the nodes. */
final class NodeData {
  private final LayerStore store;
  private final LiveDevices live;

  NodeData(LayerStore store, LiveDevices live) {
    this.store = store;
    this.live = live;
  }

  /** Makes the content of a node survive a power loss. */
  void sync(NodeRecord record) throws LinuxException {
    writeBack(record);
    for (Layer layer : store.stack(record.layer())) {
      store.files().sync(layer);
    }
  }

  /** Writes the cached data of a volume's device, if it has one, back to its layer. */
  void writeBack(NodeRecord record) throws LinuxException {
    try (Fd device = live.openVolume(record.device())) {
      if (device != null) {
        device.fsync();
      }
    }
  }
}
