// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.FileTrees;
import dev.ramet.files.JsonFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The sandboxes of a root. Thread-safe; there is one instance per root. */
public final class SandboxStore {
  private static final System.Logger LOG = System.getLogger(SandboxStore.class.getName());

  private final Layout layout;
  private final Map<String, LiveSandbox> byId = new ConcurrentHashMap<>();

  /** Ids by the names that are taken; a name is taken before its manifest is written. */
  private final Map<String, String> byName = new ConcurrentHashMap<>();

  /** Ids of sandboxes that exist but whose manifests could not be read. */
  private final Set<String> unreadable = ConcurrentHashMap.newKeySet();

  public SandboxStore(Layout layout) {
    this.layout = layout;
  }

  /**
   * Reads all manifests from disk, and removes half-created and half-deleted sandboxes. Damaged and
   * foreign entries are logged and kept.
   */
  public List<SandboxRecord> load() throws IOException {
    List<SandboxRecord> records = new ArrayList<>();
    addUnreadable(
        ManifestScanner.load(
            StateEntry.sandboxes(layout),
            "sandbox",
            entry -> records.add(Manifests.sandbox(entry.path()))));
    return records;
  }

  /** Adds all sandboxes whose manifests can be read, and changes nothing on disk. */
  public void loadReadOnly() throws IOException {
    addUnreadable(
        ManifestScanner.scanReadOnly(
            StateEntry.sandboxes(layout),
            "sandbox",
            entry -> add(new LiveSandbox(Manifests.sandbox(entry.path()), null))));
  }

  private void addUnreadable(List<StateEntry> broken) {
    broken.forEach(entry -> unreadable.add(entry.id()));
  }

  /** Returns whether a sandbox with this id exists but its manifest is unreadable. */
  boolean isUnreadable(String id) {
    return unreadable.contains(id);
  }

  /** Returns the root that holds the sandboxes, by which a full disk is recognised. */
  public Path root() {
    return layout.root();
  }

  /** Returns the sandbox with this id or name, hidden or not. */
  public LiveSandbox get(String idOrName) {
    LiveSandbox sandbox = byId.get(idOrName);
    if (sandbox == null) {
      String id = byName.get(idOrName);
      sandbox = id == null ? null : byId.get(id);
    }
    if (sandbox == null) {
      throw RametException.notFound("sandbox", idOrName);
    }
    return sandbox;
  }

  /** Returns the sandbox with this id, hidden or not, if there is one. */
  public Optional<LiveSandbox> lookUp(String id) {
    return Optional.ofNullable(byId.get(id));
  }

  /** Returns the id of the sandbox with this name, if there is one. */
  public Optional<String> find(String name) {
    return Optional.ofNullable(byName.get(name));
  }

  /**
   * Takes a name for a sandbox, so that no other sandbox can get it.
   *
   * @param name the name; null takes none
   * @throws RametException {@code ALREADY_EXISTS} when another sandbox has it
   */
  public void takeName(@Nullable String name, String id) {
    String owner = name == null ? null : byName.putIfAbsent(name, id);
    if (owner != null && !owner.equals(id)) {
      throw new RametException(
          ErrorCode.ALREADY_EXISTS,
          "the name " + name + " belongs to sandbox " + owner,
          "choose another name, or rename or kill that sandbox",
          null);
    }
  }

  /** Makes a name free again if this sandbox has it. */
  public void releaseName(@Nullable String name, String id) {
    if (name != null) {
      byName.remove(name, id);
    }
  }

  public Collection<LiveSandbox> all() {
    return List.copyOf(byId.values());
  }

  /** Adds a sandbox. Its name, if nobody has taken it yet, is its own from now on. */
  public void add(LiveSandbox sandbox) {
    byId.put(sandbox.id(), sandbox);
    String name = sandbox.saved().name();
    String owner = name == null ? null : byName.putIfAbsent(name, sandbox.id());
    if (owner != null && !owner.equals(sandbox.id())) {
      LOG.log(
          System.Logger.Level.WARNING,
          "sandboxes {0} and {1} have the name {2}, which finds the first one",
          owner,
          sandbox.id(),
          name);
    }
  }

  /** Writes the first manifest. From here on, the next start removes what a crash leaves behind. */
  public void createManifest(SandboxRecord record) throws IOException {
    Files.createDirectories(layout.sandbox(record.id()));
    save(record);
  }

  /**
   * Replaces a manifest atomically; durably only for a paused sandbox, which needs no machine and
   * so survives a power loss. Others end with the power anyway, and every start goes through here.
   */
  public void save(SandboxRecord record) throws IOException {
    boolean outlives = record.state() == SandboxRecord.State.PAUSED;
    save(record, outlives ? JsonFile.Care.DURABLE : JsonFile.Care.WHOLE);
  }

  /** Replaces a manifest durably, so that a power loss cannot bring back the previous one. */
  public void saveDurably(SandboxRecord record) throws IOException {
    save(record, JsonFile.Care.DURABLE);
  }

  private void save(SandboxRecord record, JsonFile.Care care) throws IOException {
    JsonFile.write(layout.sandbox(record.id()).resolve(Layout.MANIFEST), record, care);
  }

  /** Removes a sandbox and its directory. Its machine and disk are gone already. */
  public void remove(String id) throws IOException {
    Path gone = layout.sandboxes().resolve(Layout.DELETED_PREFIX + id);
    if (Files.exists(layout.sandbox(id))) {
      Files.move(layout.sandbox(id), gone, StandardCopyOption.ATOMIC_MOVE);
    }
    LiveSandbox removed = byId.remove(id);
    if (removed != null) {
      releaseName(removed.saved().name(), id);
    }
    FileTrees.delete(gone);
  }

  /**
   * Returns whether a sandbox was never acknowledged, or its removal was, so that a start removes
   * it.
   */
  public static boolean isUnacknowledged(SandboxRecord record, SnapshotStore snapshots) {
    if (record.hidden()
        || record.state() == SandboxRecord.State.CREATING
        || record.state() == SandboxRecord.State.KILLED) {
      return true;
    }
    String base = record.machine().memoryBase();
    return base != null
        && snapshots
            .find(base)
            .filter(SnapshotRecord::pending)
            // A paused sandbox is acknowledged, even if its snapshot's manifest does not say so
            // yet.
            .filter(snapshot -> snapshot.kind() == SnapshotRecord.Kind.CLONE_BASE)
            .isPresent();
  }
}
