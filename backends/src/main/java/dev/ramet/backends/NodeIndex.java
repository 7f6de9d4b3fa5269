// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * The names of a root, those in the making included. Thread-safe; its own lock is held for map
 * operations only, never while a disk is waited for.
 */
public final class NodeIndex {
  private final Map<NodeId, Entry> entries = new HashMap<>();
  private final Map<NodeId, Integer> members = new HashMap<>();

  /** An index without names. */
  public NodeIndex() {}

  /** A name that is taken. */
  public static final class Entry {
    private final NodeId id;
    private final NodeId origin;

    private final ReadWriteLock lock = new ReentrantReadWriteLock();

    private volatile @Nullable Node node;

    private Entry(NodeId id, NodeId origin) {
      this.id = id;
      this.origin = origin;
    }

    /** The name. */
    public NodeId id() {
      return id;
    }

    /** The ultimate ancestor. */
    public NodeId origin() {
      return origin;
    }

    /** Held for reading while the node is used, for writing while it is changed or deleted. */
    public ReadWriteLock lock() {
      return lock;
    }

    /** The node, or null before it is whole and after it is gone. */
    public @Nullable Node node() {
      return node;
    }

    /** Makes the node visible, or replaces it by what it has become. */
    public void publish(Node now) {
      node = now;
    }
  }

  /**
   * Takes a name. A new origin's name must not be in use as an origin either: its directory would
   * hold snapshots that do not descend from it.
   */
  public synchronized Entry reserve(NodeId id, NodeId origin) {
    if (entries.containsKey(id)) {
      throw new RametException(ErrorCode.ALREADY_EXISTS, "the name is taken: " + id);
    }
    if (id.equals(origin) && members.containsKey(origin)) {
      throw new RametException(
          ErrorCode.ALREADY_EXISTS,
          "the name is taken by a deleted volume that snapshots still descend from: " + id,
          "choose another name, or delete those snapshots first",
          null);
    }
    return add(id, origin);
  }

  /** Takes a name found on disk; null when another node has it. */
  public synchronized @Nullable Entry adopt(NodeId id, NodeId origin) {
    return entries.containsKey(id) ? null : add(id, origin);
  }

  private Entry add(NodeId id, NodeId origin) {
    Entry entry = new Entry(id, origin);
    entries.put(id, entry);
    members.merge(origin, 1, Integer::sum);
    return entry;
  }

  /** Gives a name back: the node is gone, or was not made. */
  public synchronized void release(Entry entry) {
    entry.node = null;
    entries.remove(entry.id);
    members.computeIfPresent(entry.origin, (origin, count) -> count == 1 ? null : count - 1);
  }

  /** Who has the name, visible or not. */
  public synchronized @Nullable Entry get(NodeId id) {
    return entries.get(id);
  }

  /** All visible nodes, sorted by id. */
  public synchronized List<Node> nodes() {
    List<Node> nodes = new ArrayList<>(entries.size());
    for (Entry entry : entries.values()) {
      Node node = entry.node;
      if (node != null) {
        nodes.add(node);
      }
    }
    nodes.sort(Comparator.comparing(Node::id));
    return nodes;
  }
}
