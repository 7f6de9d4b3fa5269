// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import dev.ramet.engine.StepObserver;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Ids;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Moves tags from one version of a name to another. A tag is first recorded in the manifest of its
 * new version, with a later time than in the old one, and then removed from the old manifest. A
 * crash in between leaves the tag at either place, and the next start completes the move.
 * Thread-safe by the store's monitor.
 */
final class TagStore {
  /** The largest number of tags per version, which keeps manifests small. */
  private static final int MAX = 1000;

  private static final System.Logger LOG = System.getLogger(TagStore.class.getName());

  private final SnapshotStore store;
  private final StepObserver steps;
  private final Path root;
  private Instant last = Instant.EPOCH;

  TagStore(SnapshotStore store, StepObserver steps, Path root) {
    this.store = store;
    this.steps = steps;
    this.root = root;
  }

  /** Returns the time for an assignment: later than any before, even if the clock was set back. */
  private Instant nextInstant() {
    Instant now = Instant.now();
    last = now.isAfter(last) ? now : last.plusNanos(1);
    return last;
  }

  /** Returns a record to be published, with its tags assigned now. */
  SnapshotRecord withAssignedTags(SnapshotRecord record) {
    if (record.tags().isEmpty()) {
      return record;
    }
    synchronized (store) {
      Instant now = nextInstant();
      Map<String, Instant> tags = new TreeMap<>();
      record.tags().keySet().forEach(tag -> tags.put(tag, now));
      return record.tagged(tags);
    }
  }

  /** Completes moves that a crash interrupted, after all manifests were read. */
  void resolveAllConflicts() {
    synchronized (store) {
      Map<String, List<SnapshotRecord>> byName = new HashMap<>();
      for (SnapshotRecord record : store.all()) {
        record.tags().values().forEach(at -> last = at.isAfter(last) ? at : last);
        String name = record.name();
        if (name != null && SnapshotStore.visible(record)) {
          byName.computeIfAbsent(name, same -> new ArrayList<>()).add(record);
        }
      }
      byName.values().forEach(this::resolveConflicts);
    }
  }

  /**
   * Leaves each tag of a name only to the version that received it last. This does not fail: if the
   * manifest of another version cannot be written now, the next start removes its tag.
   */
  void resolveConflicts(String name) {
    synchronized (store) {
      resolveConflicts(store.names().withName(name));
    }
  }

  private void resolveConflicts(List<SnapshotRecord> versions) {
    for (SnapshotRecord version : versions) {
      Map<String, Instant> kept = new TreeMap<>(version.tags());
      kept.keySet()
          .removeIf(
              tag ->
                  versions.stream()
                      .anyMatch(other -> SnapshotNames.claim(tag).compare(other, version) > 0));
      if (kept.size() < version.tags().size()) {
        keepTags(version, kept);
      }
    }
  }

  private void keepTags(SnapshotRecord version, Map<String, Instant> kept) {
    store.makeVisible(version.tagged(kept));
    try {
      steps.before("tags.strip");
      store.change(version.id(), now -> now.tagged(kept), true);
    } catch (IOException | RuntimeException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "the next start removes from " + version.id() + " the tags that another version has now",
          e);
    }
  }

  /**
   * Assigns tags to a version; it or others of its name may have them already.
   *
   * @throws RametException {@code NOT_FOUND} when it was deleted meanwhile, {@code
   *     INVALID_ARGUMENT} when it has no name, or would have too many tags; nothing has changed
   *     then
   */
  SnapshotRecord assign(SnapshotRecord meant, Collection<String> tags) {
    check(tags);
    synchronized (store) {
      SnapshotRecord record =
          store
              .find(meant.id())
              .filter(SnapshotStore::visible)
              .orElseThrow(() -> RametException.notFound("template", meant.id()));
      String name = record.name();
      if (name == null) {
        throw RametException.invalid("target", "has no name, so it cannot have tags");
      }
      Map<String, Instant> all = new TreeMap<>(record.tags());
      Instant now = nextInstant();
      tags.forEach(tag -> all.putIfAbsent(tag, now));
      if (all.size() > MAX) {
        throw RametException.invalid("tags", "must be at most " + MAX + " for one version");
      }
      if (all.size() > record.tags().size()) {
        steps.before("tags.assign");
        write(record.id(), all);
        resolveConflicts(name);
      }
      return store.find(record.id()).orElse(record);
    }
  }

  /**
   * Removes tags from versions of a name; the versions stay.
   *
   * @param kind the word for a version, for errors
   * @throws RametException {@code NOT_FOUND} when one of the tags does not exist; nothing has
   *     changed then
   */
  void remove(String kind, List<SnapshotRecord> versions, Collection<String> tags) {
    check(tags);
    synchronized (store) {
      Map<String, Map<String, Instant>> kept = new LinkedHashMap<>();
      for (String tag : new TreeSet<>(tags)) {
        SnapshotRecord holder = holder(kind, versions.get(0), tag);
        kept.computeIfAbsent(holder.id(), id -> new TreeMap<>(holder.tags())).remove(tag);
      }
      kept.forEach(
          (id, others) -> {
            steps.before("tags.remove");
            write(id, others);
          });
    }
  }

  private SnapshotRecord holder(String kind, SnapshotRecord version, String tag) {
    String name = version.name();
    String reference = (name == null ? version.id() : name) + ":" + tag;
    return (name == null ? Optional.<SnapshotRecord>empty() : store.names().holder(name, tag))
        .orElseThrow(() -> store.names().notFound(kind, reference));
  }

  private static void check(Collection<String> tags) {
    if (tags.isEmpty() || tags.size() > MAX) {
      throw RametException.invalid("tags", "must be 1 to " + MAX);
    }
    tags.forEach(tag -> Ids.checkName("tags", tag));
  }

  private void write(String id, Map<String, Instant> tags) {
    try {
      store.change(id, now -> now.tagged(tags), true);
    } catch (IOException e) {
      throw Errors.ioError("cannot change the tags of " + id, root, e);
    }
  }
}
