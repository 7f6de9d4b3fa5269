// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import dev.ramet.backends.disk.Disk;
import dev.ramet.backends.disk.Layout;
import dev.ramet.backends.dmsnapshot.layer.CowStore;
import dev.ramet.backends.dmsnapshot.layer.Layer;
import dev.ramet.backends.dmsnapshot.layer.LayerInspection;
import dev.ramet.backends.dmsnapshot.layer.LayerStore;
import dev.ramet.backends.dmsnapshot.layer.LiveDevices;
import dev.ramet.backends.dmsnapshot.layer.Merger;
import dev.ramet.backends.dmsnapshot.layer.StackCopy;
import dev.ramet.backends.dmsnapshot.record.NodeRecord;
import dev.ramet.backends.dmsnapshot.record.Records;
import dev.ramet.backends.node.Images;
import dev.ramet.backends.node.NodeFiles;
import dev.ramet.backends.node.NodeIndex;
import dev.ramet.backends.node.Nodes;
import dev.ramet.backends.root.ReadableRoot;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Growable;
import dev.ramet.spi.storage.ImageTransfer;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageFacts;
import dev.ramet.spi.storage.StorageFeature;
import dev.ramet.spi.storage.StorageFinding;
import dev.ramet.spi.storage.Usage;
import dev.ramet.spi.storage.image.CopyCost;
import dev.ramet.spi.storage.image.CopyProgress;
import dev.ramet.spi.storage.image.ImageFormat;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The storage backend that keeps volumes and snapshots as stacks of layers; the package describes
 * the files. Sizes are rounded up to whole chunks of 4 KiB.
 *
 * <p>Thread-safe. Only one process at a time has a root open. Devices are created when a node is
 * first attached, and {@link #close} removes those that nobody has open.
 */
final class DmSnapshotBackend extends ReadableRoot implements Growable, ImageTransfer {
  /** A copy freezes a layer, whatever its size, and a read may have to search several. */
  static final StorageFacts FACTS =
      new StorageFacts(
              CopyCost.CONSTANT,
              true,
              false,
              Set.of(StorageFeature.GROW, StorageFeature.IMAGE_TRANSFER, StorageFeature.INSPECTION))
          .attaching(Attachment.Kind.BLOCK_DEVICE);

  /** The names in a root that belong to this backend, besides its id. */
  static final Set<String> OWN_NAMES = Set.of("volumes", "layers");

  private final Layout layout;
  private final Nodes nodes;
  private final NodeFiles files;
  private final Images images;
  private final LayerStore store;
  private final LiveDevices live;
  private final Records records;
  private final NodeMaker maker;
  private final NodeData data;
  private final Merger merger;
  private final SpaceGuard guard;

  DmSnapshotBackend(OpenedRoot root, Tuning tuning) {
    super(
        root.layout(),
        new Disk(root.store().files().steps()),
        root.index(),
        OWN_NAMES,
        root.lock());
    this.layout = layout();
    this.nodes = nodes();
    this.files = root.files();
    this.images = root.images();
    this.store = root.store();
    this.live = root.live();
    this.records = root.records();
    this.merger = new Merger(store, tuning.mergeBytesPerSecond(), tuning.reserveBytes());
    this.data = new NodeData(store, live);
    this.guard = new SpaceGuard(store, live, tuning.reserveBytes());
    this.maker = new NodeMaker(nodes, root, guard, merger);
    // Resume merges that the last user of the root did not get to.
    for (Node node : root.index().nodes()) {
      NodeRecord record = records.find(node.id());
      Layer top = record == null ? null : store.find(record.layer());
      if (node.kind() == Node.Kind.VOLUME && top != null && !top.isFlat()) {
        merger.enqueue(top.parent());
      }
    }
  }

  /** The backend's settings. */
  record Tuning(long mergeBytesPerSecond, long reserveBytes) {}

  /** Waits until no merge is left to do. */
  void awaitMerges() throws InterruptedException {
    merger.await();
  }

  /** Returns the number of layers in a node's stack, including its top. */
  int depth(NodeId id) {
    return store.depth(records.require(id).layer());
  }

  @Override
  public Node create(NodeId id, long sizeBytes) {
    if (sizeBytes <= 0) {
      throw RametException.invalid("size", "must be positive");
    }
    return maker.createFromImage(id, (file, path) -> file.truncate(sizeBytes));
  }

  @Override
  public Node importFrom(NodeId id, Path source) {
    return importFrom(id, source, ImageFormat.RAW, CopyProgress.NONE);
  }

  @Override
  public Node importFrom(NodeId id, Path source, ImageFormat format, CopyProgress progress) {
    nodes.requireOpen();
    return images.read(source, format, progress, filler -> maker.createFromImage(id, filler));
  }

  @Override
  public void exportTo(NodeId id, Path target, CopyProgress progress) {
    nodes.use(
        id,
        "export " + id,
        entry -> {
          Images.refuseInside(layout, target);
          data.writeBack(records.require(id));
          long size = entry.require().sizeBytes();
          try (StackCopy copy = store.open(records.require(id).layer())) {
            images.write(
                target, (to, path) -> copy.writeImage(to, size, progress, StackCopy.Pace.NONE));
          }
          return entry;
        });
  }

  @Override
  public Node grow(NodeId volume, long newSizeBytes) {
    long size = newSizeBytes <= 0 ? newSizeBytes : CowStore.wholeChunks(newSizeBytes);
    return nodes.grow(volume, size, entry -> maker.grow(entry.require(), size));
  }

  @Override
  public Node snapshot(NodeId volume, NodeId id, Durability durability) {
    String doing = "take the snapshot " + id + " of " + volume;
    return nodes.change(
        volume,
        doing,
        source ->
            nodes.make(
                id,
                source.origin(),
                Node.Kind.SNAPSHOT,
                doing,
                entry -> maker.snapshot(source.require(), id, doing, durability)));
  }

  @Override
  public Node fork(NodeId snapshot, NodeId id, Durability durability) {
    return nodes.use(
        snapshot,
        "fork " + snapshot,
        source -> {
          Nodes.requireSnapshot(source);
          return maker.fork(id, records.require(snapshot).layer(), durability);
        });
  }

  @Override
  public Node seal(NodeId volume, Durability durability) {
    return nodes.change(
        volume,
        "seal " + volume,
        entry -> {
          NodeRecord record = records.require(volume);
          if (durability == Durability.DURABLE) {
            data.sync(record);
          }
          if (entry.require().kind() == Node.Kind.VOLUME) {
            seal(entry, record, durability);
            merger.enqueue(record.layer());
            return Nodes.publishSnapshot(entry);
          }
          if (durability == Durability.DURABLE) {
            files.sync(entry.origin(), volume);
          }
          return entry.require();
        });
  }

  private void seal(NodeIndex.Entry entry, NodeRecord record, Durability durability)
      throws LinuxException {
    live.seal(record.device(), record.layer());
    boolean done = false;
    try {
      files.seal(entry.origin(), entry.id(), durability);
      done = true;
    } finally {
      if (!done) {
        live.unseal(record.device(), record.layer());
      }
    }
  }

  @Override
  public Attachment attach(NodeId id) {
    return nodes.use(
        id,
        "attach " + id,
        entry -> {
          NodeRecord record = records.require(id);
          boolean volume = entry.require().kind() == Node.Kind.VOLUME;
          Path path =
              volume
                  ? live.attachVolume(record.device(), record.layer())
                  : live.attachLayer(record.layer());
          return new Attachment.BlockDevice(path, !volume);
        });
  }

  @Override
  public void flush(NodeId id) {
    nodes.use(
        id,
        "flush " + id,
        entry -> {
          data.sync(records.require(id));
          files.sync(entry.origin(), id);
          return entry;
        });
  }

  @Override
  public void delete(NodeId id) {
    nodes.delete(
        id,
        files,
        entry -> {
          NodeRecord record = records.remove(id);
          if (record != null) {
            live.remove(record.device());
            store.removeUser(record.layer());
            merger.enqueue(record.layer());
            merger.considerAbove(record.layer());
          }
        });
  }

  /**
   * Returns the space that the node's layers take; exclusive is the part that no other node's stack
   * contains.
   */
  @Override
  public Usage usage(NodeId id) {
    return nodes.use(
        id, "find out the usage of " + id, entry -> store.usage(records.require(id).layer()));
  }

  @Override
  public void inspect(boolean mend, Consumer<StorageFinding> findings) {
    super.inspect(mend, findings);
    new LayerInspection(layout, nodes, records, store).run(findings);
  }

  @Override
  public void close() {
    if (nodes.close()) {
      return;
    }
    guard.close();
    merger.close();
    live.close();
    super.close();
  }

  /** Closes the root without cleaning up, as if the process had been killed. */
  void abandon() {
    nodes.close();
    guard.close();
    merger.close();
    store.devices().close();
    super.close();
  }
}
