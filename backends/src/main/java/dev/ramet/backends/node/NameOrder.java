// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.node;

import dev.ramet.spi.storage.NodeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.PriorityQueue;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The names of an index in sorted order. Sorting many names takes a while, so a separate thread
 * does it; a query before it has ended searches all names. Used under the lock of its index.
 */
final class NameOrder {
  /** Up to so many names are put in order at once. */
  private static final int FEW = 2048;

  private static final Comparator<NodeIndex.Entry> BY_ID =
      Comparator.comparing(NodeIndex.Entry::id);

  private @Nullable NavigableMap<NodeId, NodeIndex.Entry> sorted;

  /** The names added and removed while the sort runs; null at other times. */
  private @Nullable List<NodeIndex.Entry> changed;

  NameOrder() {}

  /** An entry is new in the index. */
  void add(NodeIndex.Entry entry) {
    if (sorted != null) {
      sorted.put(entry.id(), entry);
    } else if (changed != null) {
      changed.add(entry);
    }
  }

  /** An entry is no longer in the index. */
  void remove(NodeIndex.Entry entry) {
    if (sorted != null) {
      sorted.remove(entry.id());
    } else if (changed != null) {
      changed.add(entry);
    }
  }

  /**
   * Begins to sort many names.
   *
   * @param lock the lock that guards this object
   */
  void begin(Map<NodeId, NodeIndex.Entry> entries, Object lock) {
    if (sorted == null && entries.size() > FEW) {
      sortConcurrently(entries, lock);
    }
  }

  /** Returns all entries, in order. */
  List<NodeIndex.Entry> all(Map<NodeId, NodeIndex.Entry> entries) {
    if (sorted == null) {
      sorted = new TreeMap<>(entries);
    }
    return new ArrayList<>(sorted.values());
  }

  /**
   * Returns the next entries after a name.
   *
   * @param lock the lock that guards this object
   */
  List<NodeIndex.Entry> after(
      Map<NodeId, NodeIndex.Entry> entries, @Nullable NodeId after, int limit, Object lock) {
    if (sorted == null && (entries.size() <= FEW || limit > FEW)) {
      sorted = new TreeMap<>(entries);
    }
    if (sorted == null) {
      sortConcurrently(entries, lock);
      return smallest(entries.values(), after, limit);
    }
    List<NodeIndex.Entry> next = new ArrayList<>(Math.min(limit, FEW));
    for (NodeIndex.Entry entry : (after == null ? sorted : sorted.tailMap(after, false)).values()) {
      if (next.size() == limit) {
        break;
      }
      next.add(entry);
    }
    return next;
  }

  private static List<NodeIndex.Entry> smallest(
      Collection<NodeIndex.Entry> entries, @Nullable NodeId after, int limit) {
    PriorityQueue<NodeIndex.Entry> least = new PriorityQueue<>(limit, BY_ID.reversed());
    String start = after == null ? "" : after.value();
    // The greatest of those kept once there are enough: nearly every name fails this one test.
    @Nullable String bound = null;
    for (NodeIndex.Entry entry : entries) {
      String name = entry.id().value();
      if ((bound == null || name.compareTo(bound) < 0) && name.compareTo(start) > 0) {
        if (bound != null) {
          least.remove();
        }
        least.add(entry);
        if (least.size() == limit) {
          bound = least.element().id().value();
        }
      }
    }
    List<NodeIndex.Entry> next = new ArrayList<>(least);
    Collections.sort(next, BY_ID);
    return next;
  }

  private void sortConcurrently(Map<NodeId, NodeIndex.Entry> entries, Object lock) {
    if (changed == null) {
      changed = new ArrayList<>();
      NodeIndex.Entry[] all = entries.values().toArray(new NodeIndex.Entry[0]);
      Thread sorter = new Thread(() -> sort(all, entries, lock), "ramet-storage-order");
      sorter.setDaemon(true);
      sorter.start();
    }
  }

  private void sort(NodeIndex.Entry[] all, Map<NodeId, NodeIndex.Entry> entries, Object lock) {
    Arrays.sort(all, BY_ID);
    NavigableMap<NodeId, NodeIndex.Entry> map = new TreeMap<>();
    for (NodeIndex.Entry entry : all) {
      map.put(entry.id(), entry);
    }
    synchronized (lock) {
      for (NodeIndex.Entry entry : changed == null ? List.<NodeIndex.Entry>of() : changed) {
        NodeIndex.Entry now = entries.get(entry.id());
        if (now == null) {
          map.remove(entry.id());
        } else {
          map.put(entry.id(), now);
        }
      }
      changed = null;
      if (sorted == null) {
        sorted = map;
      }
    }
  }
}
