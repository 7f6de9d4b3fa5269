// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.check;

import dev.ramet.spi.storage.NodeId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Records when concurrent threads created and deleted the node or tree of a name, and decides what
 * can therefore exist when all have ended. Only calls that succeed are recorded, because one that
 * fails changes nothing. Thread-safe.
 */
public final class NameHistory {
  /** Called by the kit. */
  public NameHistory() {}

  /** Puts all begins and ends of calls into one order. */
  private final AtomicLong clock = new AtomicLong();

  private final Map<NodeId, Latest> makes = new ConcurrentHashMap<>();
  private final Map<NodeId, Latest> deletes = new ConcurrentHashMap<>();

  /** The last begin and the last end of calls of one kind; not always of the same call. */
  private record Latest(long begin, long end) {
    Latest and(Latest other) {
      return new Latest(Math.max(begin, other.begin), Math.max(end, other.end));
    }
  }

  /** Runs a call that creates something under a name, and records it. */
  public void make(NodeId id, Runnable call) {
    note(makes, id, call);
  }

  /** Runs a call that deletes a name, and records it. */
  public void delete(NodeId id, Runnable call) {
    note(deletes, id, call);
  }

  private void note(Map<NodeId, Latest> calls, NodeId id, Runnable call) {
    long begin = clock.incrementAndGet();
    call.run();
    calls.merge(id, new Latest(begin, clock.incrementAndGet()), Latest::and);
  }

  /**
   * Returns why something under a name cannot exist or be gone, as it was found, or null if it can.
   */
  public @Nullable String objection(NodeId id, boolean there) {
    Latest made = makes.get(id);
    Latest deleted = deletes.get(id);
    if (made == null) {
      return there ? id + " is there, and nobody was told that it was made" : null;
    }
    if (there && deleted != null && deleted.begin() > made.end()) {
      return id + " is there, and was deleted after it was made for the last time";
    }
    if (!there && (deleted == null || deleted.end() < made.begin())) {
      return id + " is gone, and nobody deleted it: what was acknowledged must stay";
    }
    return null;
  }
}
