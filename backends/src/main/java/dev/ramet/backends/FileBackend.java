// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends;

import dev.ramet.backends.copy.CopyStrategy;
import dev.ramet.backends.disk.Disk;
import dev.ramet.backends.disk.HostErrors;
import dev.ramet.backends.disk.Layout;
import dev.ramet.backends.disk.Steps;
import dev.ramet.backends.node.ContentCopier;
import dev.ramet.backends.node.Copier;
import dev.ramet.backends.node.Images;
import dev.ramet.backends.node.NodeFiles;
import dev.ramet.backends.node.NodeIndex;
import dev.ramet.backends.node.Nodes;
import dev.ramet.backends.root.ReadableRoot;
import dev.ramet.backends.root.RootLocks;
import dev.ramet.backends.root.RootScan;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Growable;
import dev.ramet.spi.storage.ImageTransfer;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageFeature;
import dev.ramet.spi.storage.WriteLog;
import dev.ramet.spi.storage.image.CopyProgress;
import dev.ramet.spi.storage.image.ImageFormat;
import java.nio.file.Path;
import java.util.Set;

/**
 * A storage backend of plain files, in the layout that the package describes. It needs only names,
 * permission bits and a {@link CopyStrategy} of a file system.
 *
 * <p>Thread-safe; operations on different nodes, and copies of the same node, run in parallel. One
 * process has a root open at a time.
 */
public class FileBackend extends ReadableRoot implements Growable, ImageTransfer {
  /** The features of every file backend; whether copies share blocks depends on the strategy. */
  public static final Set<StorageFeature> FEATURES =
      Set.of(StorageFeature.GROW, StorageFeature.IMAGE_TRANSFER, StorageFeature.INSPECTION);

  /** The names in a root, apart from its id. */
  static final Set<String> OWN_NAMES = Set.of("volumes");

  private final Layout layout;
  private final Nodes nodes;
  private final NodeFiles files;
  private final Images images;
  private final Copier copier;

  /** The parts of an opened root. */
  record Parts(
      Layout layout, Disk disk, NodeFiles files, CopyStrategy strategy, Copier copier, Fd lock) {}

  FileBackend(Parts parts) throws LinuxException {
    this(parts, OWN_NAMES);
  }

  FileBackend(Parts parts, Set<String> ownNames) throws LinuxException {
    super(parts.layout(), parts.disk(), new NodeIndex(), ownNames, parts.lock());
    this.layout = layout();
    this.nodes = nodes();
    this.files = parts.files();
    this.images = new Images(parts.strategy(), parts.disk());
    this.copier = parts.copier();
    new RootScan(layout, parts.disk(), index()).run();
  }

  /**
   * Opens a root, or creates it, and removes what a crash left half-made.
   *
   * @param root an existing directory
   * @param id the backend's id, which must be that of the backend that created the root
   * @param format the version of its format on disk
   * @param strategy how it copies
   * @throws RametException {@code CONFLICT} if another backend created the root or another process
   *     has it open, {@code CORRUPT} if its creator cannot be determined
   */
  public static FileBackend open(Path root, String id, int format, CopyStrategy strategy) {
    return open(root, id, format, strategy, Steps.NONE);
  }

  /** Opens a root like {@link #open(Path, String, int, CopyStrategy)}, step by step. */
  public static FileBackend open(
      Path root, String id, int format, CopyStrategy strategy, Steps steps) {
    return open(
        root,
        id,
        format,
        steps,
        (layout, disk, lock) -> {
          NodeFiles files = new NodeFiles(layout, disk);
          Copier copier = new ContentCopier(layout, files, strategy);
          return new FileBackend(new Parts(layout, disk, files, strategy, copier, lock));
        });
  }

  /** Creates a backend from a locked root. */
  interface BackendFactory<T> {
    T make(Layout layout, Disk disk, Fd lock) throws LinuxException;
  }

  static <T> T open(Path root, String id, int format, Steps steps, BackendFactory<T> maker) {
    Layout layout = Layout.of(root);
    Disk disk = new Disk(steps);
    Fd lock = RootLocks.lock(root, layout, id, format, disk);
    boolean done = false;
    try {
      T backend = maker.make(layout, disk, lock);
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
    return create(id, sizeBytes, Durability.DURABLE);
  }

  @Override
  public Node create(NodeId id, long sizeBytes, Durability durability) {
    if (sizeBytes <= 0) {
      throw RametException.invalid("size", "must be positive");
    }
    return makeVolume(id, (target, path) -> target.truncate(sizeBytes), durability);
  }

  @Override
  public Node importFrom(NodeId id, Path source) {
    return importFrom(id, source, ImageFormat.RAW, CopyProgress.NONE);
  }

  @Override
  public Node importFrom(NodeId id, Path source, ImageFormat format, CopyProgress progress) {
    nodes.requireOpen();
    return images.read(
        source, format, progress, filler -> makeVolume(id, filler, Durability.DURABLE));
  }

  @Override
  public void exportTo(NodeId id, Path target, CopyProgress progress) {
    nodes.use(
        id,
        "export " + id,
        entry -> {
          Images.refuseInside(layout, target);
          try (Fd from = Fd.openRead(layout.file(entry.origin(), id))) {
            images.write(target, (to, path) -> images.copy(from, to, progress));
          }
          return entry;
        });
  }

  @Override
  public Node grow(NodeId volume, long newSizeBytes) {
    copier.forget(volume);
    return nodes.grow(
        volume,
        newSizeBytes,
        entry -> {
          copier.forget(volume);
          long size = entry.require().sizeBytes();
          files.grow(entry.origin(), volume, size, newSizeBytes);
        });
  }

  @Override
  public Node snapshot(NodeId volume, NodeId id, Durability durability) {
    return snapshot(volume, id, durability, WriteLog.NONE);
  }

  @Override
  public Node snapshot(NodeId volume, NodeId id, Durability durability, WriteLog log) {
    String doing = "take the snapshot " + id + " of " + volume;
    return nodes.use(
        volume,
        doing,
        source ->
            nodes.make(
                id,
                source.origin(),
                Node.Kind.SNAPSHOT,
                doing,
                entry -> copier.snapshot(source, id, durability, log)));
  }

  @Override
  public Node fork(NodeId snapshot, NodeId id, Durability durability) {
    return nodes.use(
        snapshot,
        "fork " + snapshot,
        source -> {
          Nodes.requireSnapshot(source);
          return nodes.make(
              id,
              id,
              Node.Kind.VOLUME,
              "make the volume " + id,
              entry -> copier.fork(source, id, durability));
        });
  }

  private Node makeVolume(NodeId id, NodeFiles.Filler filler, Durability durability) {
    return nodes.make(
        id,
        id,
        Node.Kind.VOLUME,
        "make the volume " + id,
        entry -> files.makeVolume(id, filler, durability));
  }

  @Override
  public Node seal(NodeId volume, Durability durability) {
    copier.forget(volume);
    return nodes.change(
        volume,
        "seal " + volume,
        entry -> {
          if (entry.require().kind() == Node.Kind.VOLUME) {
            copier.forget(volume);
            files.seal(entry.origin(), entry.id(), durability);
            return Nodes.publishSnapshot(entry);
          }
          if (durability == Durability.DURABLE) {
            files.sync(entry.origin(), entry.id());
          }
          return entry.require();
        });
  }

  @Override
  public Attachment attach(NodeId id) {
    Node node = nodes.require(id);
    return new Attachment.LocalFile(
        layout.file(node.origin(), id), node.kind() == Node.Kind.SNAPSHOT);
  }

  @Override
  public void flush(NodeId id) {
    nodes.use(
        id,
        "flush " + id,
        entry -> {
          files.sync(entry.origin(), id);
          return entry;
        });
  }

  @Override
  public void writeBack(NodeId id) {
    nodes.use(
        id,
        "write back " + id,
        entry -> {
          try (Fd fd = Fd.openRead(layout.file(entry.origin(), id))) {
            fd.writeBack();
          }
          return entry;
        });
  }

  @Override
  public void delete(NodeId id) {
    copier.forget(id);
    nodes.delete(id, files, entry -> copier.forget(id));
  }

  @Override
  public void close() {
    nodes.close();
    copier.close();
    super.close();
  }
}
