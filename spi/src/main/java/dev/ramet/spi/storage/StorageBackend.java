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
 * returns, or has not happened at all: after a failure or a crash, no half-made node is left once
 * the root is opened again. Sizes are in bytes.
 *
 * <p>A volume or fork is its own origin; a snapshot has the origin of the node it was taken from.
 * The name of an origin stays taken while any node has it, even after the volume itself is deleted,
 * so that no later node can pose as the ancestor of nodes it did not create.
 *
 * <p>All calls throw {@link dev.ramet.errors.RametException}: {@code NOT_FOUND} for an absent node,
 * {@code ALREADY_EXISTS} for a taken name, {@code CONFLICT} for an operation that the node's kind
 * does not allow, {@code NO_SPACE} if the file system is full, {@code HOST_UNFIT} for other
 * failures of the host, {@code CANCELLED} if the calling thread is interrupted during a long copy.
 */
public interface StorageBackend extends AutoCloseable {
  /** Creates an empty volume, all zeros, that takes no space until it is written. Durable. */
  Node create(NodeId id, long sizeBytes);

  /**
   * Creates an empty volume like {@link #create(NodeId, long)}. {@code RELAXED} is for a volume
   * that {@link #seal} or {@link #flush} will make durable, because a sync on a busy file system
   * makes its caller wait.
   */
  default Node create(NodeId id, long sizeBytes, Durability durability) {
    return create(id, sizeBytes);
  }

  /**
   * Creates a volume with the content of the raw image file {@code source}; holes are kept.
   * Durable.
   */
  Node importFrom(NodeId id, Path source);

  /**
   * Creates an immutable snapshot of a volume (or of a snapshot) as it is at this instant. The
   * caller ensures that nobody writes the volume meanwhile, and has flushed what must be in it.
   */
  Node snapshot(NodeId volume, NodeId id, Durability durability);

  /**
   * Creates a snapshot of a volume whose writes are logged, for backends that do less work with a
   * log: see {@link CopyPreparation}. A log that cannot tell what was written does not make the
   * call fail.
   *
   * @param log the log of this volume, or {@link WriteLog#NONE}
   */
  default Node snapshot(NodeId volume, NodeId id, Durability durability, WriteLog log) {
    return snapshot(volume, id, durability);
  }

  /** Creates a writable volume that starts with the content of a snapshot. */
  Node fork(NodeId snapshot, NodeId id, Durability durability);

  /**
   * Turns a volume into a snapshot of the same name, which commits a freshly written memory image.
   * Nobody may have it open for writing. Sealing a snapshot again does nothing.
   */
  Node seal(NodeId volume, Durability durability);

  /** Returns how to reach the node's bytes. */
  Attachment attach(NodeId id);

  /** Makes everything written to the node so far, and its existence, survive a power loss. */
  void flush(NodeId id);

  /**
   * Writes a node's dirty data to its final place, so that a copy of the node does not wait for
   * that. A power loss may still lose it. Where this saves nothing, it is the same as {@link
   * #flush}.
   */
  default void writeBack(NodeId id) {
    flush(id);
  }

  /**
   * Deletes one node. Its descendants and ancestors live on. Deleting an absent node is a success.
   */
  void delete(NodeId id);

  /** Returns the node, or empty if there is none. */
  Optional<Node> find(NodeId id);

  /** Returns all nodes, sorted by id. */
  List<Node> list();

  /**
   * Returns one page of the nodes, sorted by id, so that a large root can be listed piece by piece.
   * Pages are independent: a node that is created or deleted between two pages is listed or not,
   * all others are listed exactly once.
   *
   * @param after the last id seen, or null to start
   * @param limit the maximum number of nodes, positive
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

  /** Returns the space the node takes. */
  Usage usage(NodeId id);

  /** Closes the root. Nodes stay. Idempotent. */
  @Override
  void close();
}
