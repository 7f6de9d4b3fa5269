// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import dev.ramet.egress.filter.EgressFilter;
import dev.ramet.engine.exchange.ExportIntent;
import dev.ramet.engine.sandbox.SandboxLifecycle;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.RootContents;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.Ids;
import dev.ramet.engine.template.RecipeProcesses;
import dev.ramet.engine.volume.VolumeStore;
import dev.ramet.errors.RametException;
import dev.ramet.files.FileTrees;
import dev.ramet.spi.storage.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Cleans up a root at start: finds the sandboxes that still run, finishes deletions, undoes
 * operations that were not acknowledged, and removes images without an owner. The manifests decide.
 * Anything the engine cannot explain is left alone.
 */
final class StartupRecovery {
  private static final System.Logger LOG = System.getLogger(StartupRecovery.class.getName());

  private final RootContents root;
  private final VolumeStore volumes;
  private final EgressFilter egress;
  private final MachineRecovery machines;
  private final SandboxLifecycle lifecycle;
  private final SnapshotReclaimer reclaimer;

  StartupRecovery(
      RootContents root,
      VolumeStore volumes,
      EgressFilter egress,
      MachineRecovery machines,
      SandboxLifecycle lifecycle,
      SnapshotReclaimer reclaimer) {
    this.root = root;
    this.volumes = volumes;
    this.egress = egress;
    this.machines = machines;
    this.lifecycle = lifecycle;
    this.reclaimer = reclaimer;
  }

  /** Cleans up the root. */
  void run() throws IOException {
    clearBuilds();
    volumes.load();
    root.snapshots().load();
    List<SandboxRecord> records = root.sandboxes().load();
    for (SandboxRecord record : records) {
      machines.removeStaleMachines(record);
      if (SandboxStore.isUnacknowledged(record, root.snapshots())) {
        remove(record);
      } else {
        root.sandboxes().add(machines.find(record));
      }
    }
    for (SnapshotRecord record : root.snapshots().all()) {
      if (record.pending()) {
        reclaimer.delete(record);
      } else {
        reclaimer.reclaim(record.id());
      }
    }
    removeOrphans();
    egress.removeStaleGroups();
    for (LiveSandbox live : root.sandboxes().all()) {
      lifecycle.startWatching(live);
    }
  }

  /** Removes builds and exports that were unfinished when the host ended. */
  private void clearBuilds() throws IOException {
    for (Path directory : FileTrees.children(root.layout().builds())) {
      if (Ids.isId(String.valueOf(directory.getFileName()))) {
        LOG.log(System.Logger.Level.INFO, "removing unfinished {0}", directory);
        clearBuild(directory);
      } else {
        LOG.log(System.Logger.Level.WARNING, "foreign file left alone: {0}", directory);
      }
    }
  }

  /**
   * Removes one build directory. Its recipe may still run, and an export may have left files in its
   * target directory, which may no longer exist.
   */
  private static void clearBuild(Path directory) {
    try {
      RecipeProcesses.killAll(directory);
    } catch (RametException e) {
      LOG.log(System.Logger.Level.WARNING, "left for the next start: " + directory, e);
      return;
    }
    try {
      ExportIntent.removePartial(directory);
    } catch (IOException | RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, "the remains of an export may still be there", e);
    }
    FileTrees.delete(directory);
  }

  private void remove(SandboxRecord record) throws IOException {
    LOG.log(System.Logger.Level.INFO, "removing unfinished sandbox {0}", record.id());
    root.hypervisor().reap(root.layout().sandbox(record.id()));
    root.storage().delete(Layout.machineDisk(record.id(), record.machine().number()));
    root.sandboxes().remove(record.id());
  }

  /** Removes images that a crash left before their manifest was written. */
  private void removeOrphans() {
    for (Node node : root.storage().list()) {
      String owner = Layout.owner(node.id());
      if (!Layout.isOwn(node.id())) {
        LOG.log(System.Logger.Level.WARNING, "foreign volume left alone: {0}", node.id());
      } else if (!hasOwner(node, owner)) {
        LOG.log(System.Logger.Level.INFO, "removing abandoned volume {0}", node.id());
        root.storage().delete(node.id());
      }
    }
  }

  private boolean hasOwner(Node node, String owner) {
    if (Files.isDirectory(root.layout().snapshot(owner))) {
      return true;
    }
    if (!Files.isDirectory(root.layout().sandbox(owner))) {
      return false;
    }
    // A sandbox whose manifest cannot be read is not on record: keep its disks.
    return root.sandboxes().all().stream()
        .filter(live -> live.id().equals(owner))
        .allMatch(
            live ->
                live.saved().state() != SandboxRecord.State.PAUSED
                    && Layout.machineDisk(owner, live.saved().machine().number())
                        .equals(node.id()));
  }
}
