// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.node;

import dev.ramet.backends.disk.HostErrors;
import dev.ramet.backends.disk.Layout;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of an open root, independent of how their bytes are stored: controls who may use or
 * change a node when, what is refused, and how failed system calls are reported. The locks of a
 * node are held while an action runs; operations on different nodes run in parallel.
 *
 * <p>Thread-safe. Every call throws {@code UNAVAILABLE} once it is closed.
 */
public final class Nodes {
  private final Layout layout;
  private final NodeIndex index;
  private volatile boolean closed;

  /** The nodes of an index. */
  public Nodes(Layout layout, NodeIndex index) {
    this.layout = layout;
    this.index = index;
  }

  /** An operation on a node that is held. */
  @FunctionalInterface
  public interface Action<T> {
    /** Performs the operation. */
    T apply(NodeIndex.Entry entry) throws LinuxException;
  }

  /** An operation on a node that is held, without a result. */
  @FunctionalInterface
  public interface Effect {
    /** Performs the operation. */
    void apply(NodeIndex.Entry entry) throws LinuxException;
  }

  /**
   * Runs an operation on a node that is neither changed nor deleted meanwhile.
   *
   * @param doing the operation, to complete the sentence "cannot …"
   */
  public <T> T use(NodeId id, String doing, Action<T> action) {
    requireOpen();
    return runLocked(index.require(id), false, doing, action);
  }

  /** Runs an operation on a node that nobody else uses meanwhile. */
  public <T> T change(NodeId id, String doing, Action<T> action) {
    requireOpen();
    return runLocked(index.require(id), true, doing, action);
  }

  private <T> T runLocked(
      NodeIndex.Entry entry, boolean forChange, String doing, Action<T> action) {
    Lock lock = forChange ? entry.lock().writeLock() : entry.lock().readLock();
    lock.lock();
    try {
      entry.require();
      return action.apply(entry);
    } catch (LinuxException e) {
      throw HostErrors.translate(e, doing, layout.volumes());
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes a name and creates its node; releases the name if that fails.
   *
   * @param origin the ultimate ancestor, {@code id} itself for a node without one
   * @param making creates the node and returns its size in bytes
   */
  public Node make(NodeId id, NodeId origin, Node.Kind kind, String doing, Action<Long> making) {
    requireOpen();
    NodeIndex.Entry entry = index.reserve(id, origin);
    boolean done = false;
    try {
      Node node = new Node(id, kind, origin, making.apply(entry));
      entry.publish(node);
      done = true;
      return node;
    } catch (LinuxException e) {
      throw HostErrors.translate(e, doing, layout.volumes());
    } finally {
      if (!done) {
        index.unregister(entry);
      }
    }
  }

  /** Returns the node to be forked; refuses ({@code CONFLICT}) a volume, because it changes. */
  public static Node requireSnapshot(NodeIndex.Entry entry) {
    Node node = entry.require();
    if (node.kind() != Node.Kind.SNAPSHOT) {
      throw new RametException(
          ErrorCode.CONFLICT,
          "only a snapshot can be forked, and this is a volume: " + node.id(),
          "take a snapshot of it first",
          null);
    }
    return node;
  }

  /**
   * Makes a volume larger.
   *
   * @param growing does it; not called when the volume has that size
   * @see dev.ramet.spi.storage.Growable#grow
   */
  public Node grow(NodeId volume, long newSizeBytes, Effect growing) {
    return change(
        volume,
        "grow " + volume,
        entry -> {
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
            growing.apply(entry);
            node = new Node(node.id(), node.kind(), node.origin(), newSizeBytes);
            entry.publish(node);
          }
          return node;
        });
  }

  /** Says that a volume has become a snapshot, and returns it. */
  public static Node publishSnapshot(NodeIndex.Entry entry) {
    Node node = entry.require();
    Node snapshot = new Node(node.id(), Node.Kind.SNAPSHOT, node.origin(), node.sizeBytes());
    entry.publish(snapshot);
    return snapshot;
  }

  /**
   * Makes a snapshot into a volume of another name; the snapshot is gone then.
   *
   * @param moving does it
   * @throws RametException as {@link dev.ramet.spi.storage.VolumeReuse#reuse}
   */
  public Node reuse(NodeId snapshot, NodeId id, Effect moving) {
    String doing = "reuse " + snapshot + " as " + id;
    return change(
        snapshot,
        doing,
        entry -> {
          Node node = entry.require();
          if (node.kind() != Node.Kind.SNAPSHOT || !index.isStandalone(entry)) {
            throw new RametException(
                ErrorCode.CONFLICT,
                "only a snapshot without ancestors and descendants can be reused, not " + snapshot);
          }
          Node made =
              make(
                  id,
                  id,
                  Node.Kind.VOLUME,
                  doing,
                  fresh -> {
                    moving.apply(entry);
                    return node.sizeBytes();
                  });
          index.unregister(entry);
          return made;
        });
  }

  /**
   * Deletes a node, if it exists.
   *
   * @param letGo releases the node's other resources once its file is gone
   */
  public void delete(NodeId id, NodeFiles files, Effect letGo) {
    requireOpen();
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
        letGo.apply(entry);
        files.syncRemoval(entry.origin());
      } finally {
        // Only now: a new volume of that name must find no directory in its way.
        index.unregister(entry);
      }
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "delete " + id, layout.volumes());
    } finally {
      lock.unlock();
    }
  }

  /** Returns the node of a name, if there is one. */
  public Optional<Node> find(NodeId id) {
    requireOpen();
    NodeIndex.Entry entry = index.get(id);
    return entry == null ? Optional.empty() : Optional.ofNullable(entry.node());
  }

  /** Returns the node of a name; throws {@code NOT_FOUND} if there is none. */
  public Node require(NodeId id) {
    requireOpen();
    return index.require(id).require();
  }

  /** Returns all nodes, sorted by id. */
  public List<Node> list() {
    requireOpen();
    return index.nodes();
  }

  /** Returns up to {@code limit} nodes after an id, sorted by id. */
  public List<Node> page(@Nullable NodeId after, int limit) {
    requireOpen();
    if (limit < 1) {
      throw RametException.invalid("limit", "must be positive");
    }
    return index.page(after, limit);
  }

  /** Refuses ({@code UNAVAILABLE}) when it is closed. */
  public void requireOpen() {
    if (closed) {
      throw new RametException(ErrorCode.UNAVAILABLE, "closed: " + layout.volumes());
    }
  }

  /** Refuses everything from now on; returns whether it did before. */
  public synchronized boolean close() {
    boolean before = closed;
    closed = true;
    return before;
  }
}
