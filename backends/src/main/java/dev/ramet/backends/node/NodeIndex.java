// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.node;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * The names of a root, including those of unfinished nodes. Thread-safe; its lock is held for map
 * operations only, never during disk I/O.
 */
public final class NodeIndex {
  private final Map<NodeId, Entry> entries = new HashMap<>();

  /** The same names in order, sorted in the background, because opening a root does not need it. */
  private final NameOrder order = new NameOrder();

  private final Map<NodeId, Integer> members = new HashMap<>();

  /** Creates an index without names. */
  public NodeIndex() {}

  /** Reads a node's file, of which only the name is known so far. */
  public interface Reader {
    /** Returns the node, or null if there is none under that name and nothing is left of it. */
    @Nullable Node read(NodeId id, NodeId origin);
  }

  /** A name that is taken. */
  public static final class Entry {
    private final NodeId id;
    private final NodeId origin;

    private @Nullable ReentrantReadWriteLock lock;

    private @Nullable Reader unread;
    private volatile boolean read;
    private volatile @Nullable Node node;

    private Entry(NodeId id, NodeId origin, @Nullable Reader unread) {
      this.id = id;
      this.origin = origin;
      this.unread = unread;
      this.read = unread == null;
    }

    /** Returns the name. */
    public NodeId id() {
      return id;
    }

    /** Returns the ultimate ancestor. */
    public NodeId origin() {
      return origin;
    }

    /**
     * Held for reading while the node is used, for writing while it is changed or deleted. Made
     * when it is first wanted: of a hundred thousand nodes, few are ever used.
     */
    public ReadWriteLock lock() {
      return ownLock();
    }

    private synchronized ReentrantReadWriteLock ownLock() {
      if (lock == null) {
        lock = new ReentrantReadWriteLock();
      }
      return lock;
    }

    /**
     * Returns whether a thread waits to change or delete the node; threads that only use it wait
     * behind those.
     */
    public boolean hasWaitingWriter() {
      return ownLock().hasQueuedThreads();
    }

    /**
     * Returns the node, or null before it is complete and after it is deleted. May look at the
     * disk.
     */
    public @Nullable Node node() {
      if (!read) {
        read();
      }
      return node;
    }

    private synchronized void read() {
      if (unread != null) {
        node = unread.read(id, origin);
        unread = null;
        read = true;
      }
    }

    /** Returns the node; throws {@code NOT_FOUND} if it is unfinished or deleted. */
    public Node require() {
      Node now = node();
      if (now == null) {
        throw RametException.notFound("node", id.value());
      }
      return now;
    }

    /** Makes the node visible, or replaces it by its new state. */
    public void publish(Node now) {
      node = now;
    }
  }

  /**
   * Takes a name. The name of a new origin must not be in use as an origin either, because its
   * directory would hold snapshots that do not descend from it.
   */
  public Entry reserve(NodeId id, NodeId origin) {
    get(id);
    synchronized (this) {
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
      return add(id, origin, null);
    }
  }

  /**
   * Takes a name found on disk.
   *
   * @param reader looks at the node when it is first asked for
   * @return null when another node has the name
   */
  public synchronized @Nullable Entry adopt(NodeId id, NodeId origin, Reader reader) {
    return entries.containsKey(id) ? null : add(id, origin, reader);
  }

  private Entry add(NodeId id, NodeId origin, @Nullable Reader reader) {
    Entry entry = new Entry(id, origin, reader);
    entries.put(id, entry);
    order.add(entry);
    Integer count = members.get(origin);
    members.put(origin, count == null ? 1 : count + 1);
    return entry;
  }

  /** Gives a name back: the node is gone, or was not made. */
  public synchronized void unregister(Entry entry) {
    entry.node = null;
    if (entries.remove(entry.id, entry)) {
      order.remove(entry);
      members.computeIfPresent(entry.origin, (origin, count) -> count == 1 ? null : count - 1);
    }
  }

  /** Returns the entry of a name, visible or not. */
  public @Nullable Entry get(NodeId id) {
    Entry entry = entry(id);
    return entry == null || readOrUnregister(entry) ? entry : null;
  }

  /** Returns the entry of a name; throws {@code NOT_FOUND} if there is none. */
  public Entry require(NodeId id) {
    Entry entry = get(id);
    if (entry == null) {
      throw RametException.notFound("node", id.value());
    }
    return entry;
  }

  private synchronized @Nullable Entry entry(NodeId id) {
    return entries.get(id);
  }

  /** Reads the node if that has not happened yet; releases a name that has no node. */
  private boolean readOrUnregister(Entry entry) {
    if (!entry.read && entry.node() == null) {
      unregister(entry);
      return false;
    }
    return true;
  }

  /** Returns whether a node is without ancestors and descendants. */
  synchronized boolean isStandalone(Entry entry) {
    Integer count = members.get(entry.origin);
    return entry.id.equals(entry.origin) && count != null && count == 1;
  }

  /** Returns the number of taken names. */
  public synchronized int size() {
    return entries.size();
  }

  /** Begins to sort the names for later queries; does not wait. */
  public synchronized void beginOrder() {
    order.begin(entries, this);
  }

  /** Returns all visible nodes, sorted by id. */
  public List<Node> nodes() {
    List<Entry> all;
    synchronized (this) {
      all = order.all(entries);
    }
    return visible(all);
  }

  /** Returns up to {@code limit} visible nodes after an id, sorted by id. */
  public List<Node> page(@Nullable NodeId after, int limit) {
    List<Node> page = new ArrayList<>(Math.min(limit, 1024));
    NodeId last = after;
    while (page.size() < limit) {
      List<Entry> next = entriesAfter(last, limit - page.size());
      if (next.isEmpty()) {
        break;
      }
      last = next.get(next.size() - 1).id();
      page.addAll(visible(next));
    }
    return page;
  }

  private synchronized List<Entry> entriesAfter(@Nullable NodeId after, int limit) {
    return order.after(entries, after, limit, this);
  }

  private List<Node> visible(List<Entry> some) {
    List<Node> nodes = new ArrayList<>(some.size());
    for (Entry entry : some) {
      Node node = readOrUnregister(entry) ? entry.node() : null;
      if (node != null) {
        nodes.add(node);
      }
    }
    return nodes;
  }
}
