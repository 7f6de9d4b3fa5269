// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

import dev.ramet.engine.StepObserver;
import dev.ramet.engine.root.SplitStorage;
import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.state.SnapshotStore;
import dev.ramet.errors.RametException;
import dev.ramet.pluginhost.guard.Capability;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.VolumeReuse;
import org.jspecify.annotations.Nullable;

/**
 * Replaces an older snapshot by a new one. The capture writes to the old memory volume in place
 * only if it builds on exactly that image and nothing else reads it. Otherwise it makes a new
 * volume and reports the reason. Thread-safe.
 */
public final class SnapshotReplacement {
  /** Where the memory image of a snapshot that replaces another one is written. */
  public static final Setting<MemoryVolumes> MEMORY_VOLUMES =
      Setting.constant(
          "ramet.memory-volumes",
          MemoryVolumes.REBUILD,
          "Where the memory of a snapshot that replaces an older one is written. REBUILD: into"
              + " a new volume; the older snapshot is deleted once the new one is ready. IN_PLACE:"
              + " only the changed pages, into the volume of the older snapshot, if the capture"
              + " builds on it and nothing else reads it; a crash meanwhile loses both. IN_PLACE"
              + " suits storage that copies whole images.");

  /** Where the memory image of a snapshot that replaces another one is written. */
  public enum MemoryVolumes {
    /** Into a new volume; the replaced snapshot is deleted once the new one is ready. */
    REBUILD,
    /**
     * Into the volume of the replaced snapshot, if only changed pages have to be written and
     * nothing else reads it. A crash during the write loses both snapshots.
     */
    IN_PLACE
  }

  private static final System.Logger LOG = System.getLogger(SnapshotReplacement.class.getName());

  private final SnapshotStore snapshots;
  private final StorageBackend storage;
  private final MemoryVolumes memoryVolumes;
  private final StepObserver steps;
  private final SnapshotReclaimer reclaimer;

  public SnapshotReplacement(
      SnapshotStore snapshots,
      StorageBackend storage,
      MemoryVolumes memoryVolumes,
      SnapshotReclaimer reclaimer,
      StepObserver steps) {
    this.snapshots = snapshots;
    this.storage = storage;
    this.memoryVolumes = memoryVolumes;
    this.reclaimer = reclaimer;
    this.steps = steps;
  }

  /**
   * Finds the snapshot that a request replaces.
   *
   * @return its id; null if the request replaces nothing
   * @throws RametException {@code NOT_FOUND}, or {@code INVALID_ARGUMENT} if it is not a snapshot
   *     of that sandbox
   */
  public @Nullable String resolve(String sandboxId, @Nullable String idOrName) {
    if (idOrName == null) {
      return null;
    }
    SnapshotRecord record =
        snapshots
            .names()
            .resolve(idOrName)
            .orElseThrow(() -> snapshots.names().notFound("snapshot", idOrName));
    if (record.kind() != SnapshotRecord.Kind.SNAPSHOT || !sandboxId.equals(record.sandboxId())) {
      throw RametException.invalid(
          "replaces", "must be a snapshot of the same sandbox, which " + idOrName + " is not");
    }
    return record.id();
  }

  /**
   * Turns the memory volume of the replaced snapshot into that of the capture, if this is possible.
   * The old snapshot is then withdrawn durably: nobody can use it again, even if the capture fails.
   *
   * @param baseline what the capture's selection is relative to
   * @param base the snapshot it builds on, pinned; null for none
   * @return the decision and its reason; null if nothing is replaced
   */
  CaptureReport.@Nullable Replaced takeOver(
      CaptureOrder order, Baseline baseline, SnapshotReclaimer.@Nullable Pin base) {
    String id = order.replaces();
    if (id == null) {
      return null;
    }
    String obstacle = findObstacle(order, id, baseline, base);
    return obstacle == null
        ? new CaptureReport.Replaced(id, true, "its memory volume was written to in place")
        : new CaptureReport.Replaced(id, false, obstacle);
  }

  private @Nullable String findObstacle(
      CaptureOrder order, String id, Baseline baseline, SnapshotReclaimer.@Nullable Pin base) {
    if (memoryVolumes != MemoryVolumes.IN_PLACE) {
      return "ramet.memory-volumes is REBUILD";
    }
    if (base == null || !base.record().id().equals(id)) {
      return "this capture does not build on its memory image";
    }
    if (baseline != Baseline.PREVIOUS_CAPTURE) {
      return "the machine still maps its memory image";
    }
    NodeId old = Layout.snapshotMemory(id);
    StorageBackend backend = storage instanceof SplitStorage two ? two.backendOf(old) : storage;
    VolumeReuse reuse = Capability.guarded(backend, VolumeReuse.class);
    if (reuse == null) {
      return "the storage backend does not reuse volumes";
    }
    return reclaimer.withdraw(id, () -> reuse.reuse(old, Layout.snapshotMemory(order.id())));
  }

  /**
   * Deletes the replaced snapshot, once the new one is ready. A failure is only logged: then both
   * snapshots stay.
   */
  public void deleteReplaced(@Nullable String id) {
    if (id == null) {
      return;
    }
    try {
      steps.before("replace.delete");
      snapshots.find(id).filter(old -> !old.deleted()).ifPresent(reclaimer::delete);
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, "cannot delete the replaced snapshot " + id, e);
    }
  }
}
