// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import dev.ramet.backends.disk.Layout;
import dev.ramet.backends.dmsnapshot.layer.Devices;
import dev.ramet.backends.dmsnapshot.layer.Layer;
import dev.ramet.backends.dmsnapshot.layer.LayerStore;
import dev.ramet.backends.dmsnapshot.layer.LiveDevices;
import dev.ramet.backends.dmsnapshot.layer.UnusedDevices;
import dev.ramet.backends.dmsnapshot.record.NodeRecord;
import dev.ramet.backends.node.NodeFiles;
import dev.ramet.backends.node.NodeIndex;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.block.DeviceMapper;
import dev.ramet.linux.block.DeviceNumber;
import dev.ramet.linux.block.DmDevice;
import dev.ramet.linux.block.LoopDevice;
import dev.ramet.linux.file.Fd;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Brings layers and devices in line with the nodes when a root is opened, after a crash of its last
 * user or of the host. The files are authoritative; devices that a hypervisor has open stay in
 * place.
 */
final class Reconciler {
  private static final System.Logger LOG = System.getLogger(Reconciler.class.getName());

  private final Layout layout;
  private final LayerStore store;
  private final LiveDevices live;
  private final NodeIndex index;
  private final NodeFiles files;
  private final Devices devices;
  private final DeviceMapper mapper;

  Reconciler(Layout layout, NodeIndex index, NodeFiles files, LayerStore store, LiveDevices live) {
    this.layout = layout;
    this.index = index;
    this.files = files;
    this.store = store;
    this.live = live;
    this.devices = store.devices();
    this.mapper = devices.mapper();
  }

  /** Reconciles the root and returns the records of the nodes that can be read. */
  Map<NodeId, NodeRecord> run() throws LinuxException, IOException {
    List<Node> nodes = index.nodes();
    for (Layer layer : store.files().list()) {
      store.registerFound(layer);
    }
    store.countParents();
    Map<NodeId, NodeRecord> records = new HashMap<>();
    boolean complete = true;
    for (Node node : nodes) {
      NodeRecord record = readRecord(node);
      if (record == null) {
        LOG.log(
            WARNING, "{0} does not say where its data is", layout.file(node.origin(), node.id()));
        complete = false;
        continue;
      }
      records.put(node.id(), record);
      store.addUser(record.layer());
      if (node.kind() == Node.Kind.VOLUME) {
        store.isTop(record.layer());
      }
      store.markUsed(record.layer());
      store.markUsed(record.device());
      if (!store.isWhole(record.layer())) {
        LOG.log(WARNING, "layers of {0} are missing", node.id());
        complete = false;
      } else if (node.kind() == Node.Kind.VOLUME) {
        finishGrowing(node, record);
      }
    }
    adoptDevices(nodes, records);
    if (complete) {
      int gone = store.deleteUnused();
      if (gone > 0) {
        LOG.log(INFO, "removed {0} layers that nothing needed", gone);
      }
    } else {
      LOG.log(
          WARNING, "unused layers are kept, because nodes that could not be read may need them");
    }
    return records;
  }

  /** Completes an interrupted growth, in which the volume's layer grew first. */
  private void finishGrowing(Node node, NodeRecord record) throws LinuxException {
    long size = store.sizeBytes(store.layer(record.layer()));
    NodeIndex.Entry entry = index.get(node.id());
    if (size > node.sizeBytes() && entry != null) {
      LOG.log(INFO, "{0}: completing an interrupted growth", node.id());
      files.grow(node.origin(), node.id(), node.sizeBytes(), size);
      entry.publish(new Node(node.id(), node.kind(), node.origin(), size));
    }
  }

  private @Nullable NodeRecord readRecord(Node node) throws LinuxException {
    try (Fd fd = Fd.openRead(layout.file(node.origin(), node.id()))) {
      return NodeRecord.read(fd);
    }
  }

  private void adoptDevices(List<Node> nodes, Map<NodeId, NodeRecord> records)
      throws LinuxException {
    // Tables that were loaded but not yet in use when the last user of the root died.
    for (String name : unclaimedDevices().keySet()) {
      DmDevice device = find(name);
      if (device != null && device.inactive()) {
        mapper.clearTable(name);
      }
    }
    new UnusedDevices(devices).remove();
    Map<Long, Node> volumes = new HashMap<>();
    for (Node node : nodes) {
      NodeRecord record = records.get(node.id());
      if (record != null && record.device() != 0) {
        volumes.put(record.device(), node);
      }
    }
    // The remaining devices are open. Layers first, because volumes stand on them.
    for (String name : unclaimedDevices().keySet()) {
      store.markUsed(devices.parseNumber(name));
      if (!devices.isVolume(name)) {
        adoptLayer(name);
      }
    }
    switchToMergedLayers();
    for (String name : unclaimedDevices().keySet()) {
      if (!devices.isActive(name)) {
        try {
          adoptVolume(name, volumes, records);
        } catch (LinuxException e) {
          requireGone(name, e);
        }
      }
    }
    // Devices below layers that now use a merge may have no users any more.
    new UnusedDevices(devices).remove();
  }

  /**
   * Puts completed merges under devices that do not use them yet. Those devices have the same
   * content, but stand on more devices than their files do. The kernel completes a request by one
   * nested call for each device, and its stack cannot hold the depth that a series of crashes
   * builds up.
   */
  private void switchToMergedLayers() throws LinuxException {
    List<Layer> lowestFirst =
        store.layers().stream()
            .filter(layer -> devices.isActive(devices.layerName(layer.id())))
            .filter(layer -> store.isWhole(layer.id()))
            .sorted(Comparator.comparingInt(layer -> store.depth(layer.id())))
            .toList();
    for (Layer layer : lowestFirst) {
      String name = devices.layerName(layer.id());
      try {
        if (!isBackedBy(name, layer) || !isOnItsParent(name, layer)) {
          LOG.log(INFO, "{0}: completing an interrupted merge", name);
          store.switchToCurrentFile(layer);
        }
      } catch (LinuxException e) {
        requireGone(name, e);
      }
    }
  }

  private boolean isOnItsParent(String name, Layer layer) throws LinuxException {
    if (layer.isFlat()) {
      return true;
    }
    DeviceNumber wide = devices.number(devices.wideName(layer));
    DeviceNumber parent = wide != null ? wide : devices.number(devices.layerName(layer.parent()));
    return parent != null
        && parent.toString().equals(mapper.table(name).get(0).parameterWords()[0]);
  }

  private Map<String, DeviceNumber> unclaimedDevices() throws LinuxException {
    Map<String, DeviceNumber> left = new HashMap<>(mapper.devices());
    left.keySet().removeIf(name -> !name.startsWith(devices.prefix()));
    return left;
  }

  /**
   * Returns a device that was listed, or null if it is gone by now. A deferred removal happens when
   * a kernel thread gets to it, which may be after the last user is gone.
   */
  private @Nullable DmDevice find(String name) throws LinuxException {
    try {
      return mapper.info(name);
    } catch (LinuxException e) {
      if (e.errno() == LinuxException.ENXIO) {
        return null;
      }
      throw e;
    }
  }

  /**
   * Ignores an error about a device that disappeared while it was examined, see {@link #find}. The
   * kernel removes the device's name first and then releases the loop device below it, which shows
   * nothing from then on.
   */
  private void requireGone(String name, LinuxException e) throws LinuxException {
    if (e.errno() != LinuxException.ENXIO || find(name) != null) {
      throw e;
    }
    devices.forget(name);
  }

  private void adoptLayer(String name) throws LinuxException {
    DmDevice device = find(name);
    if (device == null) {
      return;
    }
    if (device.suspended()) {
      device = mapper.resume(name);
    }
    // Layers do not change, so every device of this layer has the content of its file.
    devices.adopt(device);
  }

  private void adoptVolume(String name, Map<Long, Node> volumes, Map<NodeId, NodeRecord> records)
      throws LinuxException {
    long number = devices.parseNumber(name);
    Node node = volumes.get(number);
    NodeRecord record = node == null ? null : records.get(node.id());
    if (node == null || record == null || !store.isWhole(record.layer())) {
      LOG.log(
          WARNING,
          "{0} is in use but belongs to no volume; it is removed when its last user closes it",
          name);
      if (find(name) != null) {
        mapper.remove(name, true);
      }
      return;
    }
    Layer top = store.layer(record.layer());
    if (node.kind() == Node.Kind.SNAPSHOT) {
      finishSeal(name, number, top);
    } else if (isBackedBy(name, top) && isConsistent(name)) {
      DmDevice device = mapper.info(name);
      devices.adopt(device.suspended() ? mapper.resume(name) : device);
      live.attachVolume(number, record.layer());
    } else {
      LOG.log(INFO, "{0}: completing an interrupted change of its table", name);
      live.restore(number, record.layer());
    }
  }

  private void finishSeal(String name, long number, Layer top) throws LinuxException {
    DmDevice device = find(name);
    if (device == null) {
      return;
    }
    devices.adopt(device);
    if (devices.isActive(devices.layerName(top.id()))) {
      devices.remove(name);
    } else {
      live.seal(number, top.id());
    }
  }

  /** Returns whether the store of a volume is valid in the kernel. */
  private boolean isConsistent(String name) throws LinuxException {
    return !mapper.status(name).get(0).parameters().contains("Invalid");
  }

  /** Returns whether a device's table uses the file of a layer. */
  private boolean isBackedBy(String name, Layer top) throws LinuxException {
    String[] words = mapper.table(name).get(0).parameterWords();
    String loop = top.isFlat() ? words[0] : words.length > 1 ? words[1] : "";
    try (LoopDevice device = LoopDevice.open(DeviceNumber.parse(loop), false);
        Fd file = store.files().open(top, false)) {
      return device.info().file() == file.stat().inode();
    } catch (IllegalArgumentException e) {
      // The first word of a store's table is its parent, which is not a loop device: the layer
      // became flat by a merge that the device does not use yet.
      return false;
    }
  }
}
