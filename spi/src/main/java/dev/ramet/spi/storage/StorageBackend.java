// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

import dev.ramet.errors.RametException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A copy-on-write store of volumes and snapshots in one root directory. The file system is its only
 * source of truth.
 *
 * <p>All calls block. Implementations are thread-safe; of two calls that want the same name, one
 * wins and the other fails with {@code ALREADY_EXISTS}. A mutation has happened when the call
 * returns, or has not happened at all: a failure or a crash leaves no half-made node behind once
 * the root is opened again. Sizes are bytes.
 *
 * <p>A volume or fork is its own origin; a snapshot has the origin of what it was taken of. The
 * name of an origin stays taken while any node has it, even when the volume itself is deleted:
 * nothing can slip in as the ancestor of what it did not make.
 *
 * <p>All calls throw {@link dev.ramet.errors.RametException}: {@code NOT_FOUND} for an absent node,
 * {@code ALREADY_EXISTS} for a taken name, {@code CONFLICT} for an operation that the node's kind
 * does not allow, {@code NO_SPACE} when the file system is full, {@code HOST_UNFIT} for other
 * failures of the host, {@code CANCELLED} when the calling thread is interrupted during a long
 * copy.
 */
public interface StorageBackend extends AutoCloseable {
  /** Makes an empty volume, all zeros, that takes no space until it is written. Durable. */
  Node create(NodeId id, long sizeBytes);

  /**
   * The same for a volume that {@link #seal} or {@link #flush} will make durable: a file system
   * that is busy makes whoever asks it to wait.
   */
  default Node create(NodeId id, long sizeBytes, Durability durability) {
    return create(id, sizeBytes);
  }

  /** Makes a volume with the content of the raw image file {@code source}, holes kept. Durable. */
  Node importFrom(NodeId id, Path source);

  /**
   * Makes an immutable snapshot of a volume (or of a snapshot) as it is at this instant. The caller
   * sees to it that nobody writes the volume meanwhile, and has flushed what must be in it.
   */
  Node snapshot(NodeId volume, NodeId id, Durability durability);

  /**
   * The same of a volume whose writer can tell what it wrote, for backends to which that spares
   * work: see {@link CopyPreparation}. A log that cannot tell is no reason to fail.
   *
   * @param log of this volume, or {@link WriteLog#NONE}
   */
  default Node snapshot(NodeId volume, NodeId id, Durability durability, WriteLog log) {
    return snapshot(volume, id, durability);
  }

  /** Makes a writable volume that starts with the content of a snapshot. */
  Node fork(NodeId snapshot, NodeId id, Durability durability);

  /**
   * Turns a volume into a snapshot of the same name: how a freshly written memory image is
   * committed. Nobody may have it open for writing. Sealing a snapshot again does nothing.
   */
  Node seal(NodeId volume, Durability durability);

  /** How to reach the node's bytes. */
  Attachment attach(NodeId id);

  /** Makes everything written to the node so far, and its existence, survive a loss of power. */
  void flush(NodeId id);

  /**
   * Writes what is dirty of a node to where it belongs, so that a copy of it does not wait for
   * that. A loss of power may still lose it. Where that spares nothing it is {@link #flush}.
   */
  default void writeBack(NodeId id) {
    flush(id);
  }

  /**
   * Deletes one node. Its descendants and ancestors live on. Deleting an absent node is a success.
   */
  void delete(NodeId id);

  /** The node, if there is one. */
  Optional<Node> find(NodeId id);

  /** All nodes, sorted by id. */
  List<Node> list();

  /**
   * Some nodes, sorted by id, so that a large root can be listed piece by piece. Pages do not
   * belong together: a node that comes or goes between two of them is seen or not, all others once.
   *
   * @param after the last id seen, or null to start
   * @param limit how many at most, positive
   * @return fewer than {@code limit} only at the end
   */
  default List<Node> page(@Nullable NodeId after, int limit) {
    if (limit < 1) {
      throw RametException.invalid("limit", "must be positive");
    }
    return list().stream()
        .filter(node -> after == null || node.id().compareTo(after) > 0)
        .limit(limit)
        .toList();
  }

  /** What the node costs. */
  Usage usage(NodeId id);

  /** Gives up the root. Nodes stay. Idempotent. */
  @Override
  void close();
}
