// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandbox;

import dev.ramet.agent.host.Agent;
import dev.ramet.engine.StepObserver;
import dev.ramet.engine.capture.CaptureOrder;
import dev.ramet.engine.capture.Capturer;
import dev.ramet.engine.capture.DiskCapturer;
import dev.ramet.engine.machine.AlreadyPausedVm;
import dev.ramet.engine.machine.GuestFreeze;
import dev.ramet.engine.machine.MachineStarter;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Ids;
import dev.ramet.engine.support.Undo;
import dev.ramet.engine.tracking.MemoryModes;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.storage.Durability;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Pauses sandboxes. A paused sandbox resumes from a snapshot that belongs to it alone. As with a
 * rollback, replacing one manifest decides whether the sandbox is paused or runs, so a failure or a
 * crash at any step leaves one of the two. Thread-safe.
 */
public final class PauseService {
  private static final System.Logger LOG = System.getLogger(PauseService.class.getName());
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private final SandboxStore sandboxes;
  private final MemoryModes modes;
  private final Agent agent;
  private final MachineStarter starter;
  private final Capturer capturer;
  private final DiskCapturer disks;
  private final SnapshotReclaimer reclaimer;
  private final StepObserver steps;

  public PauseService(
      SandboxStore sandboxes,
      MemoryModes modes,
      Agent agent,
      MachineStarter starter,
      Capturer capturer,
      DiskCapturer disks,
      SnapshotReclaimer reclaimer,
      StepObserver steps) {
    this.sandboxes = sandboxes;
    this.modes = modes;
    this.agent = agent;
    this.starter = starter;
    this.capturer = capturer;
    this.disks = disks;
    this.reclaimer = reclaimer;
    this.steps = steps;
  }

  /**
   * Waits until no other operation holds the sandbox, then pauses it if {@code stillWanted} accepts
   * it.
   */
  public void pause(LiveSandbox live, boolean keepMemory, Predicate<SandboxRecord> stillWanted) {
    pause(live, keepMemory, null, stillWanted);
  }

  /**
   * Pauses a sandbox in a chosen memory mode, like {@link #pause(LiveSandbox, boolean, Predicate)}.
   *
   * @param memoryMode the only memory mode the caller allows, or null
   */
  void pause(
      LiveSandbox live,
      boolean keepMemory,
      @Nullable String memoryMode,
      Predicate<SandboxRecord> stillWanted) {
    if (memoryMode != null && !keepMemory) {
      throw RametException.invalid("memoryMode", "is only allowed when the memory is kept");
    }
    try (LiveSandbox.Hold hold = live.acquire("pause", TIMEOUT)) {
      SandboxRecord before = sandboxes.get(live.id()).saved();
      if (!stillWanted.test(before)) {
        return;
      }
      RunningVm vm = keepMemory ? live.runningMachine() : live.answeringMachine();
      // Refuse a mode that could never work before the machine stops.
      modes.checkForced(memoryMode, before.machine().memoryBase());
      live.setPausing(true);
      try {
        if (keepMemory) {
          pause(live, before, vm, true, memoryMode);
        } else {
          steps.before("pause.writeout");
          try (GuestFreeze files = new GuestFreeze(agent, before, vm, "pause it with its memory")) {
            pause(live, before, vm, false, null);
            files.markEnded();
          }
        }
      } finally {
        live.setPausing(false);
      }
      removeMachine(before, live.saved().machine().memoryBase());
    }
  }

  private void pause(
      LiveSandbox live,
      SandboxRecord before,
      RunningVm vm,
      boolean keepMemory,
      @Nullable String memoryMode) {
    steps.before("pause.stop");
    try (AlreadyPausedVm standing = new AlreadyPausedVm(vm);
        Undo undo = new Undo()) {
      CaptureOrder order =
          CaptureOrder.hidden(
              Ids.newId('p'),
              SnapshotRecord.Kind.PAUSE,
              before.sourceId(),
              memoryMode,
              Durability.DURABLE);
      SnapshotRecord kept =
          keepMemory
              ? capturer.capture(live, order, standing, instant -> {})
              : disks.capture(before, order, Instant.now(), () -> {});
      undo.add("capture " + kept.id(), () -> reclaimer.delete(kept));
      steps.before("pause.commit");
      SandboxRecord after = before.asPaused(kept.id(), Instant.now());
      live.transition(after, null, sandboxes::save);
      undo.commit();
      live.tracking().close();
      starter.discardMachine(standing::killPaused, vm);
    } catch (IOException e) {
      throw Errors.ioError("cannot pause " + live.id(), sandboxes.root(), e);
    }
  }

  /**
   * Removes the machine after the pause has succeeded. The next start removes whatever is left
   * after a failure here.
   */
  private void removeMachine(SandboxRecord before, @Nullable String kept) {
    try {
      steps.before("pause.clear");
      // Deletes it for everybody but this sandbox: it goes with the last one that needs it.
      if (kept != null) {
        reclaimer.deleteIfThere(kept);
      }
      starter.discardFiles(before.id(), before.machine().number());
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, "cannot remove the machine of " + before.id(), e);
    }
    reclaimer.reclaim(before.machine().memoryBase());
  }
}
