// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import dev.ramet.engine.machine.MachineStarter;
import dev.ramet.engine.machine.VmLauncher;
import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.RootContents;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.tracking.MemoryModes;
import dev.ramet.engine.tracking.TrackingGap;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.FileTrees;
import dev.ramet.spi.hypervisor.RunningVm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;

/** Finds the machines that ran when the host ended, and removes those that nothing needs. */
final class MachineRecovery {
  private static final System.Logger LOG = System.getLogger(MachineRecovery.class.getName());

  private final RootContents root;
  private final MemoryModes modes;
  private final VmLauncher launcher;
  private final MachineStarter starter;

  MachineRecovery(
      RootContents root, MemoryModes modes, VmLauncher launcher, MachineStarter starter) {
    this.root = root;
    this.modes = modes;
    this.launcher = launcher;
    this.starter = starter;
  }

  /** Removes the machines that an unfinished rollback or pause left behind. */
  void removeStaleMachines(SandboxRecord record) throws IOException {
    Path current = root.layout().machine(record.id(), record.machine().number());
    boolean paused = record.state() == SandboxRecord.State.PAUSED;
    for (Path directory : FileTrees.children(root.layout().sandbox(record.id()))) {
      boolean machine =
          Layout.isMachine(String.valueOf(directory.getFileName()))
              && Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS);
      if (machine && (paused || !directory.equals(current))) {
        LOG.log(System.Logger.Level.INFO, "removing abandoned machine {0}", directory);
        root.hypervisor().reap(directory);
        FileTrees.delete(directory);
      }
    }
  }

  /** Finds the machine of a sandbox again. Without one the sandbox has failed. */
  LiveSandbox find(SandboxRecord record) throws IOException {
    if (record.state() != SandboxRecord.State.RUNNING) {
      return new LiveSandbox(record, null);
    }
    String lost;
    try {
      Optional<RunningVm> vm = launcher.reattach(record);
      if (vm.isPresent()) {
        starter.restoreConnections(record, vm.get());
        return reattachedSandbox(record, vm.get());
      }
      lost = "its machine had ended when the host started";
    } catch (RametException e) {
      lost = "its machine could not be found again: " + e.getMessage();
      if (isInconclusive(e.code())) {
        LOG.log(System.Logger.Level.WARNING, "sandbox {0} is out of reach: {1}", record.id(), lost);
        return new LiveSandbox(record.withState(SandboxRecord.State.FAILED, lost), null);
      }
    } catch (RuntimeException e) {
      lost = "its machine could not be found again: " + e.getMessage();
    }
    LOG.log(System.Logger.Level.WARNING, "sandbox {0} failed: {1}", record.id(), lost);
    // From here on the machine is never searched for again.
    root.hypervisor().reap(root.layout().sandbox(record.id()));
    SandboxRecord failed = record.withState(SandboxRecord.State.FAILED, lost);
    root.sandboxes().save(failed);
    return new LiveSandbox(failed, null);
  }

  /**
   * Returns a sandbox whose machine was found again. Its tracking has a gap: the writes since its
   * last capture were tracked by another process.
   */
  private LiveSandbox reattachedSandbox(SandboxRecord record, RunningVm vm) {
    LiveSandbox live = new LiveSandbox(record, vm);
    root.snapshots()
        .latestOf(record.id(), record.machine().number())
        .ifPresent(last -> live.tracking().recordMissingTracker(vm, trackingGap(last)));
    return live;
  }

  private TrackingGap trackingGap(SnapshotRecord last) {
    CaptureReport capture = last.capture();
    String mode = capture == null ? "" : capture.mode();
    return TrackingGap.afterRestart(modes.supportsTracking(mode), mode, last.id());
  }

  /**
   * Returns whether the failure to find a machine says nothing about the machine. It may still run:
   * a later start can find it once the host is fit again or the plugin is repaired.
   */
  private static boolean isInconclusive(ErrorCode code) {
    return switch (code) {
      case HOST_UNFIT, INTERNAL, DEADLINE_EXCEEDED -> true;
      default -> false;
    };
  }
}
