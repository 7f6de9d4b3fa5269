// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import dev.ramet.engine.EngineConfig;
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

/** The published snapshots and templates of a root. Thread-safe; one lives per root. */
public final class SnapshotStore {
  private final Layout layout;
  private final Map<String, SnapshotRecord> byId = new ConcurrentHashMap<>();
  private final Set<String> underWay = ConcurrentHashMap.newKeySet();
  private final Names names = new Names(this);
  private final Tags tags;

  /**
   * Those of a root.
   *
   * @param steps sees each step of a move of tags
   */
  public SnapshotStore(Layout layout, EngineConfig.Steps steps) {
    this.layout = layout;
    this.tags = new Tags(this, steps, layout.root());
  }

  /**
   * Reads all manifests, removes what was never published or is half deleted, and finishes moves of
   * tags. What is damaged or not Ramet's is reported and kept.
   */
  public void load() throws IOException {
    ManifestScanner.load(
        Entry.snapshots(layout),
        "snapshot",
        entry -> byId.put(entry.id(), Manifests.snapshot(entry.path())));
    tags.settleAll();
  }

  /** Reads all manifests that can be read, and changes nothing. */
  public void look() throws IOException {
    ManifestScanner.look(
        Entry.snapshots(layout),
        "snapshot",
        entry -> byId.put(entry.id(), Manifests.snapshot(entry.path())));
  }

  /** All records, deleted and hidden ones included. */
  public Collection<SnapshotRecord> all() {
    return List.copyOf(byId.values());
  }

  /** The record with this id, deleted or not. */
  public Optional<SnapshotRecord> find(String id) {
    return Optional.ofNullable(byId.get(id));
  }

  /**
   * The last capture with memory of a machine that went on, as far as it is still here.
   *
   * @param machine the number that its sandbox has for it
   */
  public Optional<SnapshotRecord> lastOf(String sandboxId, int machine) {
    return byId.values().stream()
        .filter(record -> sandboxId.equals(record.sandboxId()))
        .filter(record -> record.machine() != null && record.machine() == machine)
        .filter(record -> record.warm() && record.kind().machineGoesOn())
        .max(Comparator.comparing(SnapshotRecord::createdAt));
  }

  public static boolean visible(SnapshotRecord record) {
    return !record.deleted() && !record.kind().hidden();
  }

  /** What names of them mean. */
  public Names names() {
    return names;
  }

  /** What tells versions of one name apart. */
  Tags tags() {
    return tags;
  }

  /**
   * Begins to make a snapshot, before anything else of it is made: what has its id is not left over
   * from then on. Ends with {@link #publish} or {@link #abandon}.
   *
   * @return the directory that is to be filled
   */
  public Path begin(String id) throws IOException {
    underWay.add(id);
    return Files.createDirectories(layout.partialSnapshot(id));
  }

  /** Gives up one that was begun. */
  public void abandon(String id) {
    FileTrees.delete(layout.partialSnapshot(id));
    underWay.remove(id);
  }

  /** Whether it is being made. */
  public boolean underWay(String id) {
    return underWay.contains(id);
  }

  /**
   * Publishes a finished directory at once. From then on it has its tags, whoever had them before;
   * nothing fails after that.
   *
   * @param sync whether it must survive a loss of power
   * @return the record as it is now
   */
  public SnapshotRecord publish(SnapshotRecord record, boolean sync) throws IOException {
    Path partial = layout.partialSnapshot(record.id());
    SnapshotRecord stamped = tags.stamped(record);
    JsonFile.write(
        partial.resolve(Layout.MANIFEST),
        stamped,
        sync ? JsonFile.Care.LATER : JsonFile.Care.WHOLE);
    if (sync) {
      // A working set is a hint that says itself whether it is whole.
      FileTrees.syncAll(partial, Set.of(WorkingSetFile.NAME));
    }
    Files.move(partial, layout.snapshot(record.id()), StandardCopyOption.ATOMIC_MOVE);
    if (sync) {
      syncPublished(record.id(), partial);
    }
    synchronized (this) {
      // Seen by others only now that it will be there after a loss of power.
      show(stamped);
      underWay.remove(record.id());
      String name = stamped.name();
      if (name != null) {
        tags.settle(name);
      }
      // One that was begun later may have been published sooner, and has the tag.
      return byId.getOrDefault(record.id(), stamped);
    }
  }

  /** Makes it last that a snapshot has its name; takes the name back when that fails. */
  private void syncPublished(String id, Path partial) throws IOException {
    boolean done = false;
    try {
      FileTrees.sync(layout.snapshots());
      done = true;
    } finally {
      if (!done) {
        // Whoever publishes it gives it up, with the images that it is of.
        Files.move(layout.snapshot(id), partial, StandardCopyOption.ATOMIC_MOVE);
      }
    }
  }

  /** Has others see a record as it is written down, or will be. */
  void show(SnapshotRecord record) {
    byId.put(record.id(), record);
  }

  /** Replaces a manifest. */
  public synchronized void update(SnapshotRecord record, boolean sync) throws IOException {
    JsonFile.write(
        layout.snapshot(record.id()).resolve(Layout.MANIFEST),
        record,
        sync ? JsonFile.Care.DURABLE : JsonFile.Care.WHOLE);
    show(record);
  }

  /**
   * Replaces a manifest by what is made of it as it is now; does nothing when it is gone.
   *
   * @param sync whether that must survive a loss of power
   */
  synchronized void change(String id, UnaryOperator<SnapshotRecord> change, boolean sync)
      throws IOException {
    SnapshotRecord now = byId.get(id);
    if (now != null) {
      update(change.apply(now), sync);
    }
  }

  /** Takes back that one was deleted. Tags that others have got meanwhile are theirs. */
  synchronized void restore(String id) throws IOException {
    change(id, SnapshotRecord::restored, true);
    String name = find(id).map(SnapshotRecord::name).orElse(null);
    if (name != null) {
      tags.settle(name);
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
