// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.backends.Disk;
import dev.ramet.backends.HostErrors;
import dev.ramet.backends.Layout;
import dev.ramet.backends.NodeFiles;
import dev.ramet.backends.NodeIndex;
import dev.ramet.backends.SparseCopy;
import dev.ramet.linux.DeviceNumber;
import dev.ramet.linux.Fd;
import dev.ramet.linux.FileStat;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.OpenFlag;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.Usage;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * Volumes and snapshots as stacks of layers; the package says how they lie. Sizes are rounded up to
 * whole chunks of 4 KiB.
 *
 * <p>Thread-safe. One process has a root open at a time. Devices are made when a node is first
 * attached, and removed by {@link #close} unless somebody has them open.
 */
final class DmSnapshotBackend implements StorageBackend {
  private final Layout layout;
  private final NodeIndex index;
  private final NodeFiles files;
  private final LayerStore store;
  private final Map<NodeId, NodeRecord> records;
  private final Fd rootLock;
  private final Merger merger;
  private final SpaceGuard guard;
  private volatile boolean closed;

  DmSnapshotBackend(
      Layout layout,
      NodeIndex index,
      LayerStore store,
      Map<NodeId, NodeRecord> records,
      Disk disk,
      Fd rootLock,
      Tuning tuning) {
    this.layout = layout;
    this.index = index;
    this.files = new NodeFiles(layout, disk);
    this.store = store;
    this.records = new ConcurrentHashMap<>(records);
    this.rootLock = rootLock;
    this.merger = new Merger(store, tuning.mergeBytesPerSecond(), tuning.reserveBytes());
    this.guard = new SpaceGuard(store, tuning.reserveBytes());
    // What the last user of the root did not get to.
    for (NodeRecord record : records.values()) {
      Layer top = store.find(record.layer());
      if (record.device() != 0 && top != null && !top.isFlat()) {
        merger.consider(top.parent());
      }
    }
  }

  /** What an operator may set. */
  record Tuning(long mergeBytesPerSecond, long reserveBytes) {}

  /** Waits until no merge is left to do. */
  void awaitMerges() throws InterruptedException {
    merger.await();
  }

  /** How many layers a node stands on, its own included. */
  int depth(NodeId id) {
    return store.depth(record(id).layer());
  }

  @Override
  public Node create(NodeId id, long sizeBytes) {
    if (sizeBytes <= 0 || sizeBytes > CowStore.MAX_DEVICE_BYTES) {
      throw RametException.invalid("size", "must be positive, and at most 8 TiB");
    }
    long size = rounded(sizeBytes);
    return makeVolume(
        id,
        size,
        () -> store.newFlat((file, path) -> file.truncate(size), true),
        Durability.DURABLE);
  }

  private static long rounded(long bytes) {
    return (bytes + CowStore.CHUNK_BYTES - 1) & -CowStore.CHUNK_BYTES;
  }

  @Override
  public Node importFrom(NodeId id, Path source) {
    try (Fd from = Fd.open(source, Set.of(OpenFlag.READ), 0)) {
      FileStat stat = from.stat();
      if (!stat.isRegularFile()
          || stat.sizeBytes() == 0
          || stat.sizeBytes() > CowStore.MAX_DEVICE_BYTES) {
        throw RametException.invalid(
            "source", "not a regular file with content, of at most 8 TiB: " + source);
      }
      long size = rounded(stat.sizeBytes());
      return makeVolume(
          id,
          size,
          () ->
              store.newFlat(
                  (target, path) -> {
                    new SparseCopy().copy(from, target);
                    target.truncate(size);
                  },
                  true),
          Durability.DURABLE);
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "import " + source, source);
    }
  }

  @Override
  public Node snapshot(NodeId volume, NodeId id, Durability durability) {
    NodeIndex.Entry source = hold(volume, true);
    try {
      Node node = source.require();
      NodeIndex.Entry entry = index.reserve(id, source.origin());
      return make(
          entry,
          Node.Kind.SNAPSHOT,
          "take the snapshot " + id + " of " + volume,
          () -> {
            long top = record(volume).layer();
            if (node.kind() == Node.Kind.VOLUME) {
              freeze(node);
            }
            NodeRecord record = new NodeRecord(top, 0);
            store.use(top);
            boolean done = false;
            try {
              long size =
                  files.makeSnapshot(
                      entry.origin(),
                      id,
                      (file, path) -> fill(file, node.sizeBytes(), record),
                      durability);
              records.put(id, record);
              done = true;
              return size;
            } finally {
              if (!done) {
                store.release(top);
              }
              merger.consider(top);
            }
          });
    } finally {
      source.lock().writeLock().unlock();
    }
  }

  /**
   * Freezes the top of a volume. Its content stays the same, so nothing has to be undone when what
   * follows fails.
   */
  private void freeze(Node volume) throws LinuxException {
    NodeRecord before = record(volume.id());
    DeviceNumber device = store.activeVolume(before.device());
    if (device != null) {
      // What was written to the device before this call is in the snapshot, flushed or not.
      try (Fd fd = Fd.open(device.node(), Set.of(OpenFlag.READ), 0)) {
        fd.writeBack();
      }
    }
    // Durable even in a relaxed snapshot: what the volume's user flushes from now on must be found
    // after a loss of power, and that takes the layer and the record of it.
    long next = store.newStore(before.layer(), true);
    NodeRecord after = new NodeRecord(next, before.device());
    Path path = layout.file(volume.origin(), volume.id());
    boolean done = false;
    try (Fd file = Fd.open(path, Set.of(OpenFlag.READ, OpenFlag.WRITE), 0)) {
      store.freeze(
          before.device(),
          before.layer(),
          next,
          () -> {
            after.write(file);
            file.fdatasync();
            records.put(volume.id(), after);
          },
          () -> {
            before.write(file);
            records.put(volume.id(), before);
          });
      done = true;
    } finally {
      if (!done && record(volume.id()).equals(before)) {
        store.release(next);
      }
    }
  }

  private static void fill(Fd file, long sizeBytes, NodeRecord record) throws LinuxException {
    file.truncate(sizeBytes);
    record.write(file);
  }

  @Override
  public Node fork(NodeId snapshot, NodeId id, Durability durability) {
    NodeIndex.Entry source = hold(snapshot, false);
    try {
      Node node = source.require();
      if (node.kind() != Node.Kind.SNAPSHOT) {
        throw new RametException(
            ErrorCode.CONFLICT,
            "only a snapshot can be forked, and this is a volume: " + snapshot,
            "take a snapshot of it first",
            null);
      }
      boolean durable = durability == Durability.DURABLE;
      return makeVolume(
          id,
          node.sizeBytes(),
          () -> store.newStore(record(snapshot).layer(), durable),
          durability);
    } finally {
      source.lock().readLock().unlock();
    }
  }

  private Node makeVolume(NodeId id, long sizeBytes, Work<Long> top, Durability durability) {
    checkOpen();
    NodeIndex.Entry entry = index.reserve(id, id);
    return make(
        entry,
        Node.Kind.VOLUME,
        "make the volume " + id,
        () -> {
          long layer = top.run();
          boolean done = false;
          try {
            NodeRecord record = new NodeRecord(layer, store.newId());
            long size =
                files.makeVolume(id, (file, path) -> fill(file, sizeBytes, record), durability);
            records.put(id, record);
            done = true;
            return size;
          } finally {
            if (!done) {
              store.release(layer);
            }
          }
        });
  }

  /** Makes what a name is reserved for, or gives the name back. */
  private Node make(NodeIndex.Entry entry, Node.Kind kind, String doing, Work<Long> work) {
    boolean done = false;
    try {
      guard.checkRoom(doing);
      long size = work.run();
      Node node = new Node(entry.id(), kind, entry.origin(), size);
      entry.publish(node);
      done = true;
      return node;
    } catch (LinuxException e) {
      throw HostErrors.translate(e, doing, layout.volumes());
    } finally {
      if (!done) {
        index.release(entry);
      }
    }
  }

  @Override
  public Node seal(NodeId volume, Durability durability) {
    NodeIndex.Entry entry = hold(volume, true);
    try {
      Node node = entry.require();
      NodeRecord record = record(volume);
      if (durability == Durability.DURABLE) {
        syncData(record);
      }
      if (node.kind() == Node.Kind.VOLUME) {
        store.seal(record.device(), record.layer());
        boolean done = false;
        try {
          files.seal(entry.origin(), entry.id(), durability);
          done = true;
        } finally {
          if (!done) {
            store.unseal(record.device(), record.layer());
          }
        }
        node = new Node(node.id(), Node.Kind.SNAPSHOT, node.origin(), node.sizeBytes());
        entry.publish(node);
        merger.consider(record.layer());
      } else if (durability == Durability.DURABLE) {
        files.sync(entry.origin(), entry.id());
      }
      return node;
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "seal " + volume, layout.volumes());
    } finally {
      entry.lock().writeLock().unlock();
    }
  }

  @Override
  public Attachment attach(NodeId id) {
    NodeIndex.Entry entry = hold(id, false);
    try {
      NodeRecord record = record(id);
      boolean volume = entry.require().kind() == Node.Kind.VOLUME;
      Path path =
          volume
              ? store.attachVolume(record.device(), record.layer())
              : store.attachLayer(record.layer());
      return new Attachment(Attachment.Kind.BLOCK_DEVICE, path, !volume);
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "attach " + id, layout.volumes());
    } finally {
      entry.lock().readLock().unlock();
    }
  }

  @Override
  public void flush(NodeId id) {
    NodeIndex.Entry entry = hold(id, false);
    try {
      syncData(record(id));
      files.sync(entry.origin(), id);
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "flush " + id, layout.volumes());
    } finally {
      entry.lock().readLock().unlock();
    }
  }

  private void syncData(NodeRecord record) throws LinuxException {
    DeviceNumber device = store.activeVolume(record.device());
    if (device != null) {
      try (Fd fd = Fd.open(device.node(), Set.of(OpenFlag.READ), 0)) {
        fd.fsync();
      }
    }
    for (Layer layer : store.stack(record.layer())) {
      store.files().sync(layer);
    }
  }

  @Override
  public void delete(NodeId id) {
    checkOpen();
    NodeIndex.Entry entry = index.get(id);
    if (entry == null) {
      return;
    }
    Lock lock = entry.lock().writeLock();
    lock.lock();
    try {
      if (entry.node() == null) {
        return;
      }
      files.unlink(entry.origin(), id);
      NodeRecord record = records.remove(id);
      try {
        if (record != null) {
          store.removeVolume(record.device());
          store.release(record.layer());
          merger.consider(record.layer());
          considerAbove(record.layer());
        }
        files.settleRemoval(entry.origin());
      } finally {
        // Only now: a new volume of that name must find no directory in its way.
        index.release(entry);
      }
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "delete " + id, layout.volumes());
    } finally {
      lock.unlock();
    }
  }

  /** Has a layer looked at that is the last to need another one. */
  private void considerAbove(long layer) {
    Layer above = store.users(layer) == 1 ? store.anyOn(layer) : null;
    if (above != null) {
      merger.consider(above.id());
    }
  }

  @Override
  public Optional<Node> find(NodeId id) {
    checkOpen();
    NodeIndex.Entry entry = index.get(id);
    return entry == null ? Optional.empty() : Optional.ofNullable(entry.node());
  }

  @Override
  public List<Node> list() {
    checkOpen();
    return index.nodes();
  }

  @Override
  public List<Node> page(@Nullable NodeId after, int limit) {
    checkOpen();
    if (limit < 1) {
      throw RametException.invalid("limit", "must be positive");
    }
    return index.page(after, limit);
  }

  /** What the node's layers take; exclusive is what no other node's stack has in it. */
  @Override
  public Usage usage(NodeId id) {
    NodeIndex.Entry entry = hold(id, false);
    try {
      return store.usage(record(id).layer());
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "find out the usage of " + id, layout.volumes());
    } finally {
      entry.lock().readLock().unlock();
    }
  }

  @Override
  public void close() {
    synchronized (rootLock) {
      if (closed) {
        return;
      }
      closed = true;
    }
    guard.close();
    merger.close();
    store.close();
    rootLock.close();
  }

  /** Leaves everything as it is, as a process that is killed does. */
  void abandon() {
    closed = true;
    guard.close();
    merger.close();
    store.devices().close();
    rootLock.close();
  }

  /** Finds a node and holds it; the caller unlocks. */
  private NodeIndex.Entry hold(NodeId id, boolean forChange) {
    checkOpen();
    NodeIndex.Entry entry = index.require(id);
    Lock lock = forChange ? entry.lock().writeLock() : entry.lock().readLock();
    lock.lock();
    boolean done = false;
    try {
      entry.require();
      done = true;
      return entry;
    } finally {
      if (!done) {
        lock.unlock();
      }
    }
  }

  private NodeRecord record(NodeId id) {
    NodeRecord record = records.get(id);
    if (record == null) {
      throw new RametException(
          ErrorCode.CORRUPT,
          "the file of " + id + " does not say where its data is",
          "restore it from a backup, or delete the node",
          null);
    }
    return record;
  }

  private void checkOpen() {
    if (closed) {
      throw new RametException(ErrorCode.UNAVAILABLE, "closed: " + layout.volumes());
    }
  }

  private interface Work<T> {
    T run() throws LinuxException;
  }
}
