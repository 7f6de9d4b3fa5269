// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandbox;

import dev.ramet.agent.host.Agent;
import dev.ramet.engine.StepObserver;
import dev.ramet.engine.capture.CaptureOrder;
import dev.ramet.engine.capture.DiskCapturer;
import dev.ramet.engine.machine.GuestFreeze;
import dev.ramet.engine.machine.MachineOrder;
import dev.ramet.engine.machine.MachineStarter;
import dev.ramet.engine.space.FreeSpace;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.state.SnapshotStore;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Ids;
import dev.ramet.engine.support.Undo;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.storage.Durability;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Boots sandboxes again from their own disks. The new machine boots from a capture of the disk
 * while the old one is only paused. As with a rollback, replacing one manifest decides which of the
 * two the sandbox uses, so a failure or a crash at any step leaves exactly one of them.
 * Thread-safe.
 */
public final class RestartService {
  private static final System.Logger LOG = System.getLogger(RestartService.class.getName());
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private final SandboxStore sandboxes;
  private final SnapshotStore snapshots;
  private final Agent agent;
  private final DiskCapturer disks;
  private final Replacement replacement;
  private final SandboxLifecycle lifecycle;
  private final SnapshotReclaimer reclaimer;
  private final StepObserver steps;

  /**
   * The parts that replace a machine.
   *
   * @param starter starts the new one
   * @param oldMachines pauses and removes the old one
   * @param space the file systems that take the capture of the disk
   */
  public record Replacement(MachineStarter starter, OldMachines oldMachines, FreeSpace space) {}

  /** Creates the service. */
  public RestartService(
      SandboxStore sandboxes,
      SnapshotStore snapshots,
      Agent agent,
      DiskCapturer disks,
      Replacement replacement,
      SandboxLifecycle lifecycle,
      SnapshotReclaimer reclaimer,
      StepObserver steps) {
    this.sandboxes = sandboxes;
    this.snapshots = snapshots;
    this.agent = agent;
    this.disks = disks;
    this.replacement = replacement;
    this.lifecycle = lifecycle;
    this.reclaimer = reclaimer;
    this.steps = steps;
  }

  /** Restarts a sandbox. Waits until no other operation holds it. */
  void restart(LiveSandbox live) {
    try (LiveSandbox.Hold hold = live.acquire("restart", TIMEOUT)) {
      SandboxRecord before = sandboxes.get(live.id()).saved();
      if (before.state() == SandboxRecord.State.KILLED) {
        live.runningMachine(); // throws the reason
      }
      RunningVm old = live.machine();
      replacement.starter().requireStarts("restart " + live.id());
      steps.before("restart.freeze");
      try (GuestFreeze files = freeze(live, before, old)) {
        replace(live, before, old);
        if (files != null) {
          files.markEnded();
        }
      }
      replacement.oldMachines().remove("restart", before, old);
    }
  }

  /**
   * Writes the guest's files to its disk. Returns null for a guest that cannot do it: it boots as
   * after a loss of power, because a guest that does not respond needs a restart most.
   */
  private @Nullable GuestFreeze freeze(
      LiveSandbox live, SandboxRecord before, @Nullable RunningVm old) {
    boolean answers = live.standstill() == null && live.silence() == null;
    if (old == null || before.state() != SandboxRecord.State.RUNNING || !answers) {
      return null;
    }
    try {
      return new GuestFreeze(agent, before, old, "it boots as after a loss of power");
    } catch (RametException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "the guest of {0} does not write its files to disk before its restart: {1}",
          before.id(),
          e.getMessage());
      return null;
    }
  }

  private void replace(LiveSandbox live, SandboxRecord before, @Nullable RunningVm old) {
    steps.before("restart.pause");
    try (PausedVm paused = replacement.oldMachines().pause(live, old);
        Undo undo = new Undo()) {
      if (old == null && before.state() != SandboxRecord.State.PAUSED) {
        // It would write to the disk that is captured.
        replacement.oldMachines().reap(before);
      } else if (old != null && paused == null) {
        // From here on there is no way back to it.
        replacement.space().require("restart " + live.id());
        replacement.starter().requireStarts("restart " + live.id());
        replacement.oldMachines().end(old);
      }
      SnapshotRecord source = source(before, undo);
      try (SnapshotReclaimer.Pin pin = reclaimer.pin(source)) {
        MachineStarter.Started started =
            replacement
                .starter()
                .start(
                    MachineOrder.next(
                        "restart", before, source, before.terms().environment(), false));
        undo.add(
            "machine of " + live.id(), () -> replacement.starter().discard(live.id(), started));
        steps.before("restart.commit");
        SandboxRecord after =
            RollbackService.renewTimeout(before)
                .withMachine(started.machine(), source.diskBytes(), source.agentPort());
        // From here on the snapshot that a paused sandbox had may be deleted.
        live.transition(after, started.vm(), sandboxes::saveDurably);
        undo.commit();
      }
      live.tracking().close();
      if (old != null && paused != null) {
        replacement.oldMachines().discard(paused, old);
      }
      lifecycle.startWatching(live);
      // The guest has booted from its own disk: nothing needs the capture.
      reclaimer.delete(source);
    } catch (IOException e) {
      throw Errors.ioError("cannot restart " + live.id(), sandboxes.root(), e);
    }
  }

  /** Returns the snapshot that a paused sandbox has, or a new capture of the disk of another. */
  private SnapshotRecord source(SandboxRecord before, Undo undo) {
    if (before.state() == SandboxRecord.State.PAUSED) {
      String kept = String.valueOf(before.machine().memoryBase());
      return snapshots
          .find(kept)
          .orElseThrow(
              () ->
                  new RametException(
                      ErrorCode.CORRUPT,
                      "sandbox " + before.id() + " was paused as " + kept + ", which is gone",
                      "roll it back to a snapshot, or kill it",
                      null));
    }
    CaptureOrder order =
        CaptureOrder.hidden(
            Ids.newId('p'), SnapshotRecord.Kind.PAUSE, before.sourceId(), null, Durability.RELAXED);
    SnapshotRecord captured = disks.capture(before, order, Instant.now(), () -> {});
    undo.add("capture " + captured.id(), () -> reclaimer.delete(captured));
    return captured;
  }
}
