// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import dev.ramet.backends.disk.Layout;
import dev.ramet.backends.dmsnapshot.layer.LayerStore;
import dev.ramet.backends.dmsnapshot.layer.LiveDevices;
import dev.ramet.backends.dmsnapshot.record.NodeRecord;
import dev.ramet.backends.dmsnapshot.record.Records;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.OpenFlag;
import dev.ramet.spi.storage.Node;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/** Freezes the top of a volume, so that a snapshot can use it, and puts a new layer on it. */
final class Freezer {
  private final Layout layout;
  private final LayerStore store;
  private final LiveDevices live;
  private final Records records;

  Freezer(Layout layout, LayerStore store, LiveDevices live, Records records) {
    this.layout = layout;
    this.store = store;
    this.live = live;
    this.records = records;
  }

  /**
   * Freezes the volume's top. The volume's content stays the same, so a later failure of the caller
   * needs no undo. The caller holds the node for change.
   */
  void freeze(Node volume) throws LinuxException {
    NodeRecord before = records.require(volume.id());
    // All writes to the device before this call are in the snapshot, flushed or not.
    try (Fd device = live.openVolume(before.device())) {
      if (device != null) {
        device.writeBack();
      }
    }
    // Durable even for a relaxed snapshot: data that the volume's user flushes from now on must
    // survive a loss of power, which requires the layer and its record.
    long next = store.newStore(before.layer(), true);
    NodeRecord after = new NodeRecord(next, before.device());
    Path path = layout.file(volume.origin(), volume.id());
    // Whether the volume's file may name the new layer, also after a loss of power.
    AtomicBoolean named = new AtomicBoolean();
    boolean done = false;
    try (Fd file = Fd.open(path, Set.of(OpenFlag.READ, OpenFlag.WRITE), 0)) {
      live.freeze(
          before.device(),
          before.layer(),
          next,
          () -> {
            named.set(true);
            after.write(file);
            file.fdatasync();
            records.put(volume.id(), after);
          },
          () -> {
            before.write(file);
            records.put(volume.id(), before);
            file.fdatasync();
            named.set(false);
          });
      done = true;
    } finally {
      if (!done && !named.get()) {
        store.removeUser(next);
      }
    }
  }
}
