// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.btrfs;

import dev.ramet.backends.SharingBackend;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.CopyPreparation;
import dev.ramet.spi.storage.CopyProgress;
import dev.ramet.spi.storage.DirectorySnapshots;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Growable;
import dev.ramet.spi.storage.ImageCompaction;
import dev.ramet.spi.storage.ImageFormat;
import dev.ramet.spi.storage.ImageTransfer;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageFinding;
import dev.ramet.spi.storage.StorageInspection;
import dev.ramet.spi.storage.Usage;
import dev.ramet.spi.storage.WriteLog;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Nodes as files, and trees as subvolumes beside them. Thread-safe. */
class BtrfsBackend
    implements StorageBackend,
        Growable,
        ImageTransfer,
        StorageInspection,
        DirectorySnapshots,
        CopyPreparation,
        ImageCompaction {
  private final SharingBackend nodes;
  private final BtrfsTrees trees;

  BtrfsBackend(SharingBackend nodes, BtrfsTrees trees) {
    this.nodes = nodes;
    this.trees = trees;
  }

  /** The trees, for calls on an open backend. */
  final BtrfsTrees openTrees() {
    nodes.requireOpen();
    return trees;
  }

  @Override
  public Path createTree(NodeId id) {
    return openTrees().create(id);
  }

  @Override
  public Path snapshotTree(NodeId tree, NodeId id, boolean readOnly) {
    return openTrees().snapshot(trees.path(tree), id, readOnly);
  }

  @Override
  public void deleteTree(NodeId id) {
    openTrees().delete(id);
  }

  @Override
  public Path treePath(NodeId id) {
    return openTrees().path(id);
  }

  @Override
  public List<NodeId> trees() {
    return openTrees().list();
  }

  @Override
  public Node create(NodeId id, long sizeBytes) {
    return nodes.create(id, sizeBytes);
  }

  @Override
  public Node create(NodeId id, long sizeBytes, Durability durability) {
    return nodes.create(id, sizeBytes, durability);
  }

  @Override
  public Node importFrom(NodeId id, Path source) {
    return nodes.importFrom(id, source);
  }

  @Override
  public Node importFrom(NodeId id, Path source, ImageFormat format, CopyProgress progress) {
    return nodes.importFrom(id, source, format, progress);
  }

  @Override
  public void exportTo(NodeId id, Path target, CopyProgress progress) {
    nodes.exportTo(id, target, progress);
  }

  @Override
  public Node grow(NodeId volume, long newSizeBytes) {
    return nodes.grow(volume, newSizeBytes);
  }

  @Override
  public Node snapshot(NodeId volume, NodeId id, Durability durability) {
    return nodes.snapshot(volume, id, durability);
  }

  @Override
  public Node snapshot(NodeId volume, NodeId id, Durability durability, WriteLog log) {
    return nodes.snapshot(volume, id, durability, log);
  }

  @Override
  public Node fork(NodeId snapshot, NodeId id, Durability durability) {
    return nodes.fork(snapshot, id, durability);
  }

  @Override
  public Node seal(NodeId volume, Durability durability) {
    return nodes.seal(volume, durability);
  }

  @Override
  public void prepare(NodeId source, double share) {
    nodes.prepare(source, share);
  }

  @Override
  public void prepare(NodeId source, double share, WriteLog log) {
    nodes.prepare(source, share, log);
  }

  @Override
  public void discard(NodeId source) {
    nodes.discard(source);
  }

  @Override
  public Compacted compact(NodeId snapshot, long mostAddedBytes, double share) {
    return nodes.compact(snapshot, mostAddedBytes, share);
  }

  @Override
  public Attachment attach(NodeId id) {
    return nodes.attach(id);
  }

  @Override
  public void flush(NodeId id) {
    nodes.flush(id);
  }

  @Override
  public void writeBack(NodeId id) {
    nodes.writeBack(id);
  }

  @Override
  public void delete(NodeId id) {
    nodes.delete(id);
  }

  @Override
  public Optional<Node> find(NodeId id) {
    return nodes.find(id);
  }

  @Override
  public List<Node> list() {
    return nodes.list();
  }

  @Override
  public List<Node> page(@Nullable NodeId after, int limit) {
    return nodes.page(after, limit);
  }

  @Override
  public Usage usage(NodeId id) {
    return nodes.usage(id);
  }

  @Override
  public void inspect(boolean mend, Consumer<StorageFinding> findings) {
    nodes.inspect(mend, findings);
  }

  @Override
  public Set<String> ownNames() {
    return Set.of("volumes", "trees");
  }

  @Override
  public void close() {
    nodes.close();
  }
}
