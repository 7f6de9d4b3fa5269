// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.root;

import dev.ramet.engine.state.Layout;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.Usage;
import dev.ramet.spi.storage.WriteLog;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Combines two storage backends into one, with memory images in one root and everything else in the
 * other. A node's name determines its root; a node in the wrong root is not seen. Nothing is ever
 * copied between the roots: memory images descend from memory images, disks from disks.
 *
 * @param disks keeps the disks
 * @param memory keeps the memory images
 */
public record SplitStorage(StorageBackend disks, StorageBackend memory) implements StorageBackend {
  /** Returns the backend that keeps a node. */
  public StorageBackend backendOf(NodeId id) {
    return Layout.isMemory(id) ? memory : disks;
  }

  /** Returns the backend within a root's storage that keeps a node. */
  public static StorageBackend backendOf(StorageBackend storage, NodeId id) {
    return storage instanceof SplitStorage two ? two.backendOf(id) : storage;
  }

  @Override
  public Node create(NodeId id, long sizeBytes) {
    return backendOf(id).create(id, sizeBytes);
  }

  @Override
  public Node create(NodeId id, long sizeBytes, Durability durability) {
    return backendOf(id).create(id, sizeBytes, durability);
  }

  @Override
  public Node importFrom(NodeId id, Path source) {
    return backendOf(id).importFrom(id, source);
  }

  @Override
  public Node snapshot(NodeId volume, NodeId id, Durability durability) {
    return requireSameBackend(volume, id).snapshot(volume, id, durability);
  }

  @Override
  public Node snapshot(NodeId volume, NodeId id, Durability durability, WriteLog log) {
    return requireSameBackend(volume, id).snapshot(volume, id, durability, log);
  }

  @Override
  public Node fork(NodeId snapshot, NodeId id, Durability durability) {
    return requireSameBackend(snapshot, id).fork(snapshot, id, durability);
  }

  private StorageBackend requireSameBackend(NodeId from, NodeId to) {
    StorageBackend backend = backendOf(from);
    if (backend != backendOf(to)) {
      throw new IllegalArgumentException(from + " and " + to + " are not in one root");
    }
    return backend;
  }

  @Override
  public Node seal(NodeId volume, Durability durability) {
    return backendOf(volume).seal(volume, durability);
  }

  @Override
  public Attachment attach(NodeId id) {
    return backendOf(id).attach(id);
  }

  @Override
  public void flush(NodeId id) {
    backendOf(id).flush(id);
  }

  @Override
  public void writeBack(NodeId id) {
    backendOf(id).writeBack(id);
  }

  @Override
  public void delete(NodeId id) {
    backendOf(id).delete(id);
  }

  @Override
  public Optional<Node> find(NodeId id) {
    return backendOf(id).find(id);
  }

  @Override
  public List<Node> list() {
    return Stream.of(disks, memory)
        .flatMap(backend -> backend.list().stream().filter(node -> backendOf(node.id()) == backend))
        .sorted((a, b) -> a.id().compareTo(b.id()))
        .toList();
  }

  @Override
  public Usage usage(NodeId id) {
    return backendOf(id).usage(id);
  }

  /** Does nothing: the opener of the two backends closes them. */
  @Override
  public void close() {}
}
