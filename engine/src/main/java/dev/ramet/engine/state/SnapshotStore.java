// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import dev.ramet.engine.StepObserver;
import dev.ramet.engine.workingset.WorkingSetFile;
import dev.ramet.files.FileTrees;
import dev.ramet.files.JsonFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/** The published snapshots and templates of a root. Thread-safe; there is one instance per root. */
public final class SnapshotStore {
  private final Layout layout;
  private final Map<String, SnapshotRecord> byId = new ConcurrentHashMap<>();
  private final Set<String> underWay = ConcurrentHashMap.newKeySet();
  private final SnapshotNames names = new SnapshotNames(this);
  private final TagStore tags;

  /**
   * Creates the store of a root.
   *
   * @param steps called before each step of moving tags
   */
  public SnapshotStore(Layout layout, StepObserver steps) {
    this.layout = layout;
    this.tags = new TagStore(this, steps, layout.root());
  }

  /**
   * Reads all manifests, removes unpublished and half-deleted snapshots, and completes unfinished
   * moves of tags. Damaged and foreign entries are logged and kept.
   */
  public void load() throws IOException {
    ManifestScanner.load(
        StateEntry.snapshots(layout),
        "snapshot",
        entry -> byId.put(entry.id(), Manifests.snapshot(entry.path())));
    tags.resolveAllConflicts();
  }

  /** Reads all readable manifests, and changes nothing on disk. */
  public void loadReadOnly() throws IOException {
    ManifestScanner.scanReadOnly(
        StateEntry.snapshots(layout),
        "snapshot",
        entry -> byId.put(entry.id(), Manifests.snapshot(entry.path())));
  }

  /** Returns all records, including deleted and hidden ones. */
  public Collection<SnapshotRecord> all() {
    return List.copyOf(byId.values());
  }

  /** Returns the record with this id, deleted or not. */
  public Optional<SnapshotRecord> find(String id) {
    return Optional.ofNullable(byId.get(id));
  }

  /**
   * Returns the last capture with memory of a machine that kept running, if it still exists.
   *
   * @param machine the machine's number in its sandbox
   */
  public Optional<SnapshotRecord> latestOf(String sandboxId, int machine) {
    return byId.values().stream()
        .filter(record -> sandboxId.equals(record.sandboxId()))
        .filter(record -> record.machine() != null && record.machine() == machine)
        .filter(record -> record.warm() && record.kind().machineContinues())
        .max(Comparator.comparing(SnapshotRecord::createdAt));
  }

  public static boolean visible(SnapshotRecord record) {
    return !record.deleted() && !record.kind().hidden();
  }

  /** Returns the resolver of references to these records. */
  public SnapshotNames names() {
    return names;
  }

  /** Returns the tags of these records. */
  TagStore tags() {
    return tags;
  }

  /**
   * Begins to create a snapshot, before anything else with its id exists, so that nothing with this
   * id is taken for a leftover. Ends with {@link #publish} or {@link #abandon}.
   *
   * @return the directory to fill
   */
  public Path beginSnapshot(String id) throws IOException {
    underWay.add(id);
    return Files.createDirectories(layout.partialSnapshot(id));
  }

  /** Abandons a snapshot that was begun. */
  public void abandon(String id) {
    FileTrees.delete(layout.partialSnapshot(id));
    underWay.remove(id);
  }

  /** Returns whether a snapshot is being created. */
  public boolean underWay(String id) {
    return underWay.contains(id);
  }

  /**
   * Publishes a finished directory atomically. From then on it has its tags, which are taken from
   * other versions; nothing fails after that.
   *
   * @param sync whether it must survive a power loss
   * @return the record as it is now
   */
  public SnapshotRecord publish(SnapshotRecord record, boolean sync) throws IOException {
    Path partial = layout.partialSnapshot(record.id());
    SnapshotRecord stamped = tags.withAssignedTags(record);
    JsonFile.write(
        partial.resolve(Layout.MANIFEST),
        stamped,
        sync ? JsonFile.Care.LATER : JsonFile.Care.WHOLE);
    if (sync) {
      // The working set is only a hint, and its checksum shows whether it is complete.
      FileTrees.syncAll(partial, Set.of(WorkingSetFile.NAME));
    }
    Files.move(partial, layout.snapshot(record.id()), StandardCopyOption.ATOMIC_MOVE);
    if (sync) {
      syncPublished(record.id(), partial);
    }
    synchronized (this) {
      // Others may see it only now that it would survive a power loss.
      makeVisible(stamped);
      underWay.remove(record.id());
      String name = stamped.name();
      if (name != null) {
        tags.resolveConflicts(name);
      }
      // A snapshot that was begun later may have been published earlier, and keeps the tag.
      return byId.getOrDefault(record.id(), stamped);
    }
  }

  /** Makes the rename of a published directory durable; reverts it when that fails. */
  private void syncPublished(String id, Path partial) throws IOException {
    boolean done = false;
    try {
      FileTrees.sync(layout.snapshots());
      done = true;
    } finally {
      if (!done) {
        // The caller then abandons the snapshot and its images.
        Files.move(layout.snapshot(id), partial, StandardCopyOption.ATOMIC_MOVE);
      }
    }
  }

  /** Makes a record visible that is written to disk, or will be. */
  void makeVisible(SnapshotRecord record) {
    byId.put(record.id(), record);
  }

  /** Replaces a manifest. */
  public synchronized void update(SnapshotRecord record, boolean sync) throws IOException {
    JsonFile.write(
        layout.snapshot(record.id()).resolve(Layout.MANIFEST),
        record,
        sync ? JsonFile.Care.DURABLE : JsonFile.Care.WHOLE);
    makeVisible(record);
  }

  /**
   * Replaces a manifest by a changed version of the current record; does nothing when it is gone.
   *
   * @param sync whether the change must survive a power loss
   */
  synchronized void change(String id, UnaryOperator<SnapshotRecord> change, boolean sync)
      throws IOException {
    SnapshotRecord now = byId.get(id);
    if (now != null) {
      update(change.apply(now), sync);
    }
  }

  /**
   * Reverts the deletion of a snapshot. Tags that others have received meanwhile stay with them.
   */
  synchronized void restore(String id) throws IOException {
    change(id, SnapshotRecord::restored, true);
    String name = find(id).map(SnapshotRecord::name).orElse(null);
    if (name != null) {
      tags.resolveConflicts(name);
    }
  }

  /** Removes the directory of a snapshot whose volumes are gone already. */
  void remove(String id) throws IOException {
    Path gone = layout.snapshots().resolve(Layout.DELETED_PREFIX + id);
    synchronized (this) {
      if (Files.exists(layout.snapshot(id))) {
        Files.move(layout.snapshot(id), gone, StandardCopyOption.ATOMIC_MOVE);
      }
      byId.remove(id);
    }
    FileTrees.delete(gone);
  }
}
