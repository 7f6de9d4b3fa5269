// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.linux.Fd;
import dev.ramet.linux.LinuxException;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.CopyProgress;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Growable;
import dev.ramet.spi.storage.ImageFormat;
import dev.ramet.spi.storage.ImageTransfer;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageCapabilities;
import dev.ramet.spi.storage.Usage;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * A storage backend of plain files; the package says how they lie. All it asks of a file system is
 * names, permission bits and a {@link CopyStrategy}.
 *
 * <p>Thread-safe; operations on different nodes, and copies of the same node, run in parallel. One
 * process has a root open at a time.
 */
public final class FileBackend implements StorageBackend, Growable, ImageTransfer {
  /**
   * What every file backend can do, for {@link dev.ramet.spi.ProbeResult.Usable#capabilities};
   * copy-on-write is up to the strategy.
   */
  public static final Set<String> CAPABILITIES =
      Set.of(StorageCapabilities.GROW, StorageCapabilities.IMAGE_TRANSFER);

  private final Layout layout;
  private final CopyStrategy strategy;
  private final NodeIndex index = new NodeIndex();
  private final NodeFiles files;
  private final Images images;
  private final Fd rootLock;
  private volatile boolean closed;

  private FileBackend(Layout layout, CopyStrategy strategy, Disk disk, Fd rootLock) {
    this.layout = layout;
    this.strategy = strategy;
    this.files = new NodeFiles(layout, disk);
    this.images = new Images(strategy, disk);
    this.rootLock = rootLock;
  }

  /**
   * Opens a root, or makes it, and clears away what a crash left half-made.
   *
   * @param root an existing directory
   * @param id the backend's id, which must be the one that made the root
   * @param format the version of its format on disk
   * @param strategy how it copies
   * @throws RametException {@code CONFLICT} when another backend made the root or another process
   *     has it open, {@code CORRUPT} when it cannot be told who made it
   */
  public static FileBackend open(Path root, String id, int format, CopyStrategy strategy) {
    return open(root, id, format, strategy, Steps.NONE);
  }

  /** Opens a root like {@link #open(Path, String, int, CopyStrategy)}, step by step. */
  public static FileBackend open(
      Path root, String id, int format, CopyStrategy strategy, Steps steps) {
    Layout layout = Layout.of(root);
    Disk disk = new Disk(steps);
    Fd lock = RootOpening.lock(root, layout, id, format, disk);
    boolean done = false;
    try {
      FileBackend backend = new FileBackend(layout, strategy, disk, lock);
      new RootScan(layout, disk, backend.index).run();
      done = true;
      return backend;
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "open the storage root " + root, root);
    } finally {
      if (!done) {
        lock.close();
      }
    }
  }

  @Override
  public Node create(NodeId id, long sizeBytes) {
    if (sizeBytes <= 0) {
      throw RametException.invalid("size", "must be positive");
    }
    return makeVolume(id, (target, path) -> target.truncate(sizeBytes), Durability.DURABLE);
  }

  @Override
  public Node importFrom(NodeId id, Path source) {
    return importFrom(id, source, ImageFormat.RAW, CopyProgress.NONE);
  }

  @Override
  public Node importFrom(NodeId id, Path source, ImageFormat format, CopyProgress progress) {
    checkOpen();
    try (Fd from = Images.open(source)) {
      return makeVolume(id, images.filler(from, source, format, progress), Durability.DURABLE);
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "import " + source, source);
    }
  }

  @Override
  public void exportTo(NodeId id, Path target, CopyProgress progress) {
    NodeIndex.Entry entry = use(id);
    try (Fd from = Fd.openRead(layout.file(entry.origin(), id))) {
      Images.refuseInside(layout, target);
      images.write(from, target, progress);
    } catch (LinuxException e) {
      Path parent = target.toAbsolutePath().getParent();
      throw HostErrors.translate(
          e, "export " + id + " to " + target, parent != null ? parent : target);
    } finally {
      entry.lock().readLock().unlock();
    }
  }

  @Override
  public Node grow(NodeId volume, long newSizeBytes) {
    checkOpen();
    NodeIndex.Entry entry = index.require(volume);
    Lock lock = entry.lock().writeLock();
    lock.lock();
    try {
      Node node = entry.require();
      if (node.kind() != Node.Kind.VOLUME) {
        throw new RametException(
            ErrorCode.CONFLICT, "a snapshot does not grow: " + volume, "fork it first", null);
      }
      if (newSizeBytes < node.sizeBytes()) {
        throw RametException.invalid(
            "size", "must be at least the present one, " + node.sizeBytes() + " bytes");
      }
      if (newSizeBytes > node.sizeBytes()) {
        files.grow(entry.origin(), volume, node.sizeBytes(), newSizeBytes);
        node = new Node(node.id(), node.kind(), node.origin(), newSizeBytes);
        entry.publish(node);
      }
      return node;
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "grow " + volume, layout.volumes());
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Node snapshot(NodeId volume, NodeId id, Durability durability) {
    NodeIndex.Entry source = use(volume);
    try {
      NodeIndex.Entry entry = index.reserve(id, source.origin());
      return make(
          entry,
          Node.Kind.SNAPSHOT,
          "take the snapshot " + id + " of " + volume,
          () ->
              files.makeSnapshot(
                  entry.origin(), id, (target, path) -> copyNode(source, target), durability));
    } finally {
      source.lock().readLock().unlock();
    }
  }

  @Override
  public Node fork(NodeId snapshot, NodeId id, Durability durability) {
    NodeIndex.Entry source = use(snapshot);
    try {
      if (source.require().kind() != Node.Kind.SNAPSHOT) {
        throw new RametException(
            ErrorCode.CONFLICT,
            "only a snapshot can be forked, and this is a volume: " + snapshot,
            "take a snapshot of it first",
            null);
      }
      return makeVolume(id, (target, path) -> copyNode(source, target), durability);
    } finally {
      source.lock().readLock().unlock();
    }
  }

  private void copyNode(NodeIndex.Entry source, Fd target) throws LinuxException {
    try (Fd from = Fd.openRead(layout.file(source.origin(), source.id()))) {
      strategy.copy(from, target);
    }
  }

  private Node makeVolume(NodeId id, NodeFiles.Filler filler, Durability durability) {
    checkOpen();
    NodeIndex.Entry entry = index.reserve(id, id);
    return make(
        entry,
        Node.Kind.VOLUME,
        "make the volume " + id,
        () -> files.makeVolume(id, filler, durability));
  }

  /** Makes what a name is reserved for, or gives the name back. */
  private Node make(NodeIndex.Entry entry, Node.Kind kind, String doing, Work<Long> work) {
    boolean done = false;
    try {
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
    checkOpen();
    NodeIndex.Entry entry = index.require(volume);
    Lock lock = entry.lock().writeLock();
    lock.lock();
    try {
      Node node = entry.require();
      if (node.kind() == Node.Kind.VOLUME) {
        files.seal(entry.origin(), entry.id(), durability);
        node = new Node(node.id(), Node.Kind.SNAPSHOT, node.origin(), node.sizeBytes());
        entry.publish(node);
      } else if (durability == Durability.DURABLE) {
        files.sync(entry.origin(), entry.id());
      }
      return node;
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "seal " + volume, layout.volumes());
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Attachment attach(NodeId id) {
    checkOpen();
    Node node = index.require(id).require();
    return new Attachment(
        Attachment.Kind.FILE, layout.file(node.origin(), id), node.kind() == Node.Kind.SNAPSHOT);
  }

  @Override
  public void flush(NodeId id) {
    NodeIndex.Entry entry = use(id);
    try {
      files.sync(entry.origin(), id);
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "flush " + id, layout.volumes());
    } finally {
      entry.lock().readLock().unlock();
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
      try {
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

  /** What the node costs, by its extents; writes what is dirty first, so that they are final. */
  @Override
  public Usage usage(NodeId id) {
    NodeIndex.Entry entry = use(id);
    try (Fd fd = Fd.openRead(layout.file(entry.origin(), id))) {
      return Usages.of(fd);
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "find out the usage of " + id, layout.volumes());
    } finally {
      entry.lock().readLock().unlock();
    }
  }

  @Override
  public void close() {
    closed = true;
    rootLock.close();
  }

  private NodeIndex.Entry use(NodeId id) {
    checkOpen();
    return index.hold(id);
  }

  /** Refuses ({@code UNAVAILABLE}) when it is closed, for what is built around it. */
  public void requireOpen() {
    checkOpen();
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
