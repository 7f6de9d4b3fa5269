// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.core;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.engine.internal.Ids;
import dev.ramet.engine.internal.Trees;
import dev.ramet.engine.store.Entry;
import dev.ramet.engine.store.Json;
import dev.ramet.engine.store.Layout;
import dev.ramet.engine.store.Manifests;
import dev.ramet.engine.store.SnapshotRecord;
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
import org.jspecify.annotations.Nullable;

/** The published snapshots and templates of a root. Thread-safe; one lives per root. */
final class SnapshotStore {
  private static final System.Logger LOG = System.getLogger(SnapshotStore.class.getName());

  private final Layout layout;
  private final Map<String, SnapshotRecord> byId = new ConcurrentHashMap<>();
  private final Set<String> reservedNames = ConcurrentHashMap.newKeySet();
  private final Set<String> underWay = ConcurrentHashMap.newKeySet();

  SnapshotStore(Layout layout) {
    this.layout = layout;
  }

  /**
   * Reads all manifests, and removes what was never published or is half deleted. What is damaged
   * or not Ramet's is reported and kept.
   */
  void load() throws IOException {
    for (Entry entry : Entry.snapshots(layout)) {
      switch (entry.kind()) {
        case UNFINISHED -> {
          LOG.log(System.Logger.Level.INFO, "removing unfinished {0}", entry.path());
          Trees.delete(entry.path());
        }
        case FOREIGN ->
            LOG.log(System.Logger.Level.WARNING, "foreign file left alone: {0}", entry.path());
        case OWN -> {
          try {
            byId.put(entry.id(), Manifests.snapshot(entry.path()));
          } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "broken snapshot left alone: " + entry.path(), e);
          }
        }
      }
    }
  }

  /** All records, deleted and hidden ones included. */
  Collection<SnapshotRecord> all() {
    return List.copyOf(byId.values());
  }

  /** The record with this id, deleted or not. */
  Optional<SnapshotRecord> find(String id) {
    return Optional.ofNullable(byId.get(id));
  }

  /** What a user means by an id or a name; deleted and hidden ones are not meant. */
  Optional<SnapshotRecord> resolve(String idOrName) {
    SnapshotRecord exact = byId.get(idOrName);
    if (exact != null && visible(exact)) {
      return Optional.of(exact);
    }
    return byId.values().stream()
        .filter(record -> visible(record) && idOrName.equals(record.name()))
        // A template that is built again stands beside its predecessor for a moment.
        .max(Comparator.comparing(SnapshotRecord::createdAt));
  }

  static boolean visible(SnapshotRecord record) {
    return !record.deleted() && !record.kind().hidden();
  }

  /** A name that nobody else can take meanwhile. */
  interface Reservation extends AutoCloseable {
    @Override
    void close();
  }

  /** Holds a name for a snapshot under way, until its record carries it. Null is always free. */
  Reservation reserveName(@Nullable String name) {
    if (name == null) {
      return () -> {};
    }
    Ids.checkName("name", name);
    if (!reservedNames.add(name)) {
      throw nameTaken(name);
    }
    if (resolve(name).isPresent()) {
      reservedNames.remove(name);
      throw nameTaken(name);
    }
    return () -> reservedNames.remove(name);
  }

  private static RametException nameTaken(String name) {
    return new RametException(
        ErrorCode.ALREADY_EXISTS, "the name " + name + " is taken by another snapshot or template");
  }

  /**
   * Begins to make a snapshot, before anything else of it is made: what has its id is not left over
   * from then on. Ends with {@link #publish} or {@link #abandon}.
   *
   * @return the directory that is to be filled
   */
  Path begin(String id) throws IOException {
    underWay.add(id);
    return Files.createDirectories(layout.partialSnapshot(id));
  }

  /** Gives up one that was begun. */
  void abandon(String id) {
    Trees.delete(layout.partialSnapshot(id));
    underWay.remove(id);
  }

  /** Whether it is being made. */
  boolean underWay(String id) {
    return underWay.contains(id);
  }

  /**
   * Publishes a finished directory at once.
   *
   * @param sync whether it must survive a loss of power
   */
  void publish(SnapshotRecord record, boolean sync) throws IOException {
    Path partial = layout.partialSnapshot(record.id());
    Json.write(partial.resolve(Layout.MANIFEST), record, false);
    if (sync) {
      Trees.syncAll(partial);
    }
    Files.move(partial, layout.snapshot(record.id()), StandardCopyOption.ATOMIC_MOVE);
    if (sync) {
      Trees.sync(layout.snapshots());
    }
    // Seen by others only now that it will be there after a loss of power.
    byId.put(record.id(), record);
    underWay.remove(record.id());
  }

  /** Replaces a manifest. */
  void update(SnapshotRecord record, boolean sync) throws IOException {
    Json.write(layout.snapshot(record.id()).resolve(Layout.MANIFEST), record, sync);
    byId.put(record.id(), record);
  }

  /** Removes the directory of a snapshot whose volumes are gone already. */
  void remove(String id) throws IOException {
    Path gone = layout.snapshots().resolve(Layout.DELETED_PREFIX + id);
    if (Files.exists(layout.snapshot(id))) {
      Files.move(layout.snapshot(id), gone, StandardCopyOption.ATOMIC_MOVE);
    }
    byId.remove(id);
    Trees.delete(gone);
  }
}
