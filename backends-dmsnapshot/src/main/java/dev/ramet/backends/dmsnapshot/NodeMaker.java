// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import dev.ramet.backends.dmsnapshot.layer.CowStore;
import dev.ramet.backends.dmsnapshot.layer.LayerStore;
import dev.ramet.backends.dmsnapshot.layer.LiveDevices;
import dev.ramet.backends.dmsnapshot.layer.Merger;
import dev.ramet.backends.dmsnapshot.record.NodeRecord;
import dev.ramet.backends.dmsnapshot.record.Records;
import dev.ramet.backends.node.NodeFiles;
import dev.ramet.backends.node.Nodes;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;

/**
 * Creates nodes on layers, and grows them. A failure leaves neither a node nor a layer.
 * Thread-safe, provided that callers hold the nodes they name.
 */
final class NodeMaker {
  private final Nodes nodes;
  private final NodeFiles files;
  private final LayerStore store;
  private final LiveDevices live;
  private final Records records;
  private final Freezer freezer;
  private final SpaceGuard guard;
  private final Merger merger;

  NodeMaker(Nodes nodes, OpenedRoot root, SpaceGuard guard, Merger merger) {
    this.nodes = nodes;
    this.files = root.files();
    this.store = root.store();
    this.live = root.live();
    this.records = root.records();
    this.freezer = new Freezer(root.layout(), store, live, records);
    this.guard = guard;
    this.merger = merger;
  }

  /**
   * Creates a volume from a complete image. Its size is that of the filled content, in whole
   * chunks.
   */
  Node createFromImage(NodeId id, NodeFiles.Filler filler) {
    return volume(
        id,
        Durability.DURABLE,
        () ->
            store.newFlat(
                (file, path) -> {
                  filler.fill(file, path);
                  file.truncate(CowStore.wholeChunks(file.sizeBytes()));
                },
                true));
  }

  /** Creates a volume that starts with the content of a frozen layer. */
  Node fork(NodeId id, long layer, Durability durability) {
    return volume(id, durability, () -> store.newStore(layer, durability == Durability.DURABLE));
  }

  private interface TopMaker {
    long make() throws LinuxException;
  }

  private Node volume(NodeId id, Durability durability, TopMaker top) {
    String doing = "make the volume " + id;
    return nodes.make(id, id, Node.Kind.VOLUME, doing, entry -> volume(id, doing, durability, top));
  }

  private long volume(NodeId id, String doing, Durability durability, TopMaker top)
      throws LinuxException {
    guard.checkRoom(doing);
    long layer = top.make();
    boolean done = false;
    try {
      NodeRecord record = new NodeRecord(layer, store.newId());
      long bytes = store.sizeBytes(store.layer(layer));
      long size =
          files.makeVolume(id, (file, path) -> writeRecord(file, bytes, record), durability);
      records.put(id, record);
      done = true;
      return size;
    } finally {
      if (!done) {
        store.removeUser(layer);
      }
    }
  }

  /**
   * Creates a snapshot and returns its size in bytes. If the source is a volume, freezes its top
   * first.
   *
   * @param source the source, held for change
   */
  long snapshot(Node source, NodeId id, String doing, Durability durability) throws LinuxException {
    guard.checkRoom(doing);
    long top = records.require(source.id()).layer();
    if (source.kind() == Node.Kind.VOLUME) {
      freezer.freeze(source);
    }
    NodeRecord record = new NodeRecord(top, 0);
    store.addUser(top);
    boolean done = false;
    try {
      long size =
          files.makeSnapshot(
              source.origin(),
              id,
              (file, path) -> writeRecord(file, source.sizeBytes(), record),
              durability);
      records.put(id, record);
      done = true;
      return size;
    } finally {
      if (!done) {
        store.removeUser(top);
      }
      merger.enqueue(top);
    }
  }

  private static void writeRecord(Fd file, long sizeBytes, NodeRecord record)
      throws LinuxException {
    file.truncate(sizeBytes);
    record.write(file);
  }

  /**
   * Grows a volume.
   *
   * @param node the volume, held for change
   */
  void grow(Node node, long sizeBytes) throws LinuxException {
    guard.checkRoom("grow " + node.id());
    NodeRecord record = records.require(node.id());
    if (!live.removeIfUnused(record)) {
      throw new RametException(
          ErrorCode.CONFLICT,
          "a process has the volume open and would not notice its new size: " + node.id(),
          "stop that process first",
          null);
    }
    // The layer first: opening a root gives a volume's file the size of its layer.
    store.resize(record.layer(), sizeBytes);
    boolean done = false;
    try {
      files.grow(node.origin(), node.id(), node.sizeBytes(), sizeBytes);
      done = true;
    } finally {
      if (!done) {
        store.resize(record.layer(), node.sizeBytes());
      }
    }
  }
}
