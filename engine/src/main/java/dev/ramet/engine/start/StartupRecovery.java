// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import dev.ramet.engine.CaptureReport;
import dev.ramet.engine.core.Context;
import dev.ramet.engine.exchange.ExportIntent;
import dev.ramet.engine.machine.MachineStarter;
import dev.ramet.engine.sandbox.SandboxLifecycle;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.Ids;
import dev.ramet.engine.template.RecipeProcesses;
import dev.ramet.engine.tracking.TrackingGap;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.FileTrees;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.storage.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Cleans up a root at start: finds the sandboxes that still run, finishes deletions, undoes
 * operations that were not acknowledged, and removes images without an owner. The manifests decide.
 * Anything the engine cannot explain is left alone.
 */
final class StartupRecovery {
  private static final System.Logger LOG = System.getLogger(StartupRecovery.class.getName());

  private final Context context;
  private final MachineStarter starter;
  private final SandboxLifecycle lifecycle;
  private final SnapshotReclaimer reclaimer;

  StartupRecovery(
      Context context,
      MachineStarter starter,
      SandboxLifecycle lifecycle,
      SnapshotReclaimer reclaimer) {
    this.context = context;
    this.starter = starter;
    this.lifecycle = lifecycle;
    this.reclaimer = reclaimer;
  }

  /** Cleans up the root. */
  void run() throws IOException {
    clearBuilds();
    context.volumes().load();
    context.snapshots().load();
    List<SandboxRecord> records = context.sandboxes().load();
    for (SandboxRecord record : records) {
      clearOtherMachines(record);
      if (SandboxStore.isUnacknowledged(record, context.snapshots())) {
        remove(record);
      } else {
        context.sandboxes().add(find(record));
      }
    }
    for (SnapshotRecord record : context.snapshots().all()) {
      if (record.pending()) {
        reclaimer.delete(record);
      } else {
        reclaimer.reclaim(record.id());
      }
    }
    removeOrphans();
    context.egress().clear();
    for (LiveSandbox live : context.sandboxes().all()) {
      lifecycle.begun(live);
    }
  }

  /** Removes builds and exports that were unfinished when the host ended. */
  private void clearBuilds() throws IOException {
    for (Path directory : FileTrees.children(context.layout().builds())) {
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
      RecipeProcesses.end(directory);
    } catch (RametException e) {
      LOG.log(System.Logger.Level.WARNING, "left for the next start: " + directory, e);
      return;
    }
    try {
      ExportIntent.undo(directory);
    } catch (IOException | RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, "what an export left may still be there", e);
    }
    FileTrees.delete(directory);
  }

  /** Removes the machines that an unfinished rollback or pause left behind. */
  private void clearOtherMachines(SandboxRecord record) throws IOException {
    Path current = context.layout().machine(record.id(), record.machine().number());
    boolean paused = record.state() == SandboxRecord.State.PAUSED;
    for (Path directory : FileTrees.children(context.layout().sandbox(record.id()))) {
      boolean machine =
          Layout.isMachine(String.valueOf(directory.getFileName()))
              && Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS);
      if (machine && (paused || !directory.equals(current))) {
        LOG.log(System.Logger.Level.INFO, "removing an abandoned machine: {0}", directory);
        context.hypervisor().reap(directory);
        FileTrees.delete(directory);
      }
    }
  }

  private void remove(SandboxRecord record) throws IOException {
    LOG.log(System.Logger.Level.INFO, "removing unfinished sandbox {0}", record.id());
    context.hypervisor().reap(context.layout().sandbox(record.id()));
    context.storage().delete(Layout.machineDisk(record.id(), record.machine().number()));
    context.sandboxes().remove(record.id());
  }

  private LiveSandbox find(SandboxRecord record) throws IOException {
    if (record.state() != SandboxRecord.State.RUNNING) {
      return new LiveSandbox(record, null);
    }
    String lost;
    try {
      Optional<RunningVm> vm =
          context
              .hypervisor()
              .reattach(
                  starter.spec(
                      record.id(),
                      record.machine(),
                      record.machine().hostAddress(),
                      record.agentPort(),
                      record.outbound(),
                      record.terms().accessToken()),
                  context.config().startTimeout());
      if (vm.isPresent()) {
        starter.foundAgain(record, vm.get());
        return foundAgain(record, vm.get());
      }
      lost = "its machine had ended when the host started";
    } catch (RametException e) {
      lost = "its machine could not be found again: " + e.getMessage();
      if (saysNothing(e.code())) {
        LOG.log(System.Logger.Level.WARNING, "sandbox {0} is out of reach: {1}", record.id(), lost);
        return new LiveSandbox(record.in(SandboxRecord.State.FAILED, lost), null);
      }
    } catch (RuntimeException e) {
      lost = "its machine could not be found again: " + e.getMessage();
    }
    LOG.log(System.Logger.Level.WARNING, "sandbox {0} failed: {1}", record.id(), lost);
    // From here on the machine is never searched for again.
    context.hypervisor().reap(context.layout().sandbox(record.id()));
    SandboxRecord failed = record.in(SandboxRecord.State.FAILED, lost);
    context.sandboxes().save(failed);
    return new LiveSandbox(failed, null);
  }

  /**
   * Returns a sandbox whose machine was found again. Its tracking has a gap: the writes since its
   * last capture were tracked by another process.
   */
  private LiveSandbox foundAgain(SandboxRecord record, RunningVm vm) {
    LiveSandbox live = new LiveSandbox(record, vm);
    context
        .snapshots()
        .lastOf(record.id(), record.machine().number())
        .ifPresent(last -> live.tracking().foundAgain(vm, gapSince(last)));
    return live;
  }

  private TrackingGap gapSince(SnapshotRecord last) {
    CaptureReport capture = last.capture();
    String mode = capture == null ? "" : capture.mode();
    return TrackingGap.afterRestart(context.modes().tracks(mode), mode, last.id());
  }

  /**
   * Returns whether the failure to find a machine says nothing about the machine. It may still run:
   * a later start can find it once the host is fit again or the plugin is repaired.
   */
  private static boolean saysNothing(ErrorCode code) {
    return switch (code) {
      case HOST_UNFIT, INTERNAL, DEADLINE_EXCEEDED -> true;
      default -> false;
    };
  }

  /** Removes images that a crash left before their manifest was written. */
  private void removeOrphans() {
    for (Node node : context.storage().list()) {
      String owner = Layout.owner(node.id());
      if (!Layout.isOwn(node.id())) {
        LOG.log(System.Logger.Level.WARNING, "foreign volume left alone: {0}", node.id());
      } else if (!owned(node, owner)) {
        LOG.log(System.Logger.Level.INFO, "removing abandoned volume {0}", node.id());
        context.storage().delete(node.id());
      }
    }
  }

  private boolean owned(Node node, String owner) {
    if (Files.isDirectory(context.layout().snapshot(owner))) {
      return true;
    }
    if (!Files.isDirectory(context.layout().sandbox(owner))) {
      return false;
    }
    // A sandbox whose manifest cannot be read is not on record: keep its disks.
    return context.sandboxes().all().stream()
        .filter(live -> live.id().equals(owner))
        .allMatch(
            live ->
                live.saved().state() != SandboxRecord.State.PAUSED
                    && Layout.machineDisk(owner, live.saved().machine().number())
                        .equals(node.id()));
  }
}
