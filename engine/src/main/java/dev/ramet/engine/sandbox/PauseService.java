// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandbox;

import dev.ramet.engine.Sandboxes;
import dev.ramet.engine.capture.Capturer;
import dev.ramet.engine.capture.DiskCapturer;
import dev.ramet.engine.core.Context;
import dev.ramet.engine.machine.AlreadyPausedVm;
import dev.ramet.engine.machine.GuestFreeze;
import dev.ramet.engine.machine.MachineStarter;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Ids;
import dev.ramet.engine.support.Undo;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.storage.Durability;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Pauses and resumes sandboxes. A paused sandbox resumes from a snapshot that belongs to it alone.
 * As with a rollback, replacing one manifest decides whether the sandbox is paused or runs, so a
 * failure or a crash at any step leaves one of the two. Thread-safe.
 */
public final class PauseService {
  private static final System.Logger LOG = System.getLogger(PauseService.class.getName());
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Context context;
  private final MachineStarter starter;
  private final Capturer capturer;
  private final DiskCapturer disks;
  private final SandboxLifecycle lifecycle;
  private final SnapshotReclaimer reclaimer;

  public PauseService(
      Context context,
      MachineStarter starter,
      Capturer capturer,
      SandboxLifecycle lifecycle,
      SnapshotReclaimer reclaimer) {
    this.context = context;
    this.starter = starter;
    this.capturer = capturer;
    this.disks = new DiskCapturer(context);
    this.lifecycle = lifecycle;
    this.reclaimer = reclaimer;
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
      throw RametException.invalid("memoryMode", "makes no sense without the memory");
    }
    try (LiveSandbox.Hold hold = live.hold("pause", PATIENCE)) {
      SandboxRecord before = context.sandboxes().get(live.id()).saved();
      if (!stillWanted.test(before)) {
        return;
      }
      RunningVm vm = live.runningMachine();
      // Refuse a mode that could never work before the machine stops.
      context.modes().checkForced(memoryMode, before.machine().memoryBase());
      live.leaving(true);
      try {
        if (keepMemory) {
          pause(live, before, vm, true, memoryMode);
        } else {
          context.before("pause.writeout");
          try (GuestFreeze files =
              new GuestFreeze(context, before, vm, "pause it with its memory")) {
            pause(live, before, vm, false, null);
            files.ended();
          }
        }
      } finally {
        live.leaving(false);
      }
      clearAway(before, live.saved().machine().memoryBase());
    }
  }

  private void pause(
      LiveSandbox live,
      SandboxRecord before,
      RunningVm vm,
      boolean keepMemory,
      @Nullable String memoryMode) {
    context.before("pause.stop");
    try (AlreadyPausedVm standing = new AlreadyPausedVm(vm);
        Undo undo = new Undo()) {
      Capturer.Order order =
          new Capturer.Order(
              Ids.next('p'),
              SnapshotRecord.Kind.PAUSE,
              null,
              null,
              before.sourceId(),
              null,
              memoryMode,
              false,
              Durability.DURABLE,
              null);
      SnapshotRecord kept =
          keepMemory
              ? capturer.capture(live, order, standing, instant -> {})
              : disks.capture(before, order, Instant.now(), () -> {});
      undo.add("capture " + kept.id(), () -> reclaimer.delete(kept));
      context.before("pause.commit");
      SandboxRecord after = before.pausedAs(kept.id(), Instant.now());
      live.becomes(after, null, context.sandboxes()::save);
      undo.commit();
      live.tracking().close();
      starter.giveUp(standing::end, vm);
    } catch (IOException e) {
      throw Errors.io("cannot pause " + live.id(), context.layout().root(), e);
    }
  }

  /** Resumes a paused sandbox. Does nothing if it runs already. */
  void resume(LiveSandbox live, Sandboxes.@Nullable Timeout timeout, boolean useMemory) {
    try (LiveSandbox.Hold hold = live.hold("resume", PATIENCE)) {
      SandboxRecord before = context.sandboxes().get(live.id()).saved();
      if (before.state() == SandboxRecord.State.RUNNING) {
        return;
      }
      if (before.state() != SandboxRecord.State.PAUSED) {
        live.runningMachine(); // throws the reason
      }
      String from = String.valueOf(before.machine().memoryBase());
      SnapshotRecord source =
          context
              .snapshots()
              .find(from)
              .orElseThrow(
                  () ->
                      new RametException(
                          ErrorCode.CORRUPT,
                          "sandbox " + live.id() + " was paused as " + from + ", which is gone",
                          "roll it back to a snapshot, or kill it",
                          null));
      try (SnapshotReclaimer.Pin pin = reclaimer.pin(source)) {
        resume(live, before, source, timeout, useMemory);
      }
    }
  }

  private void resume(
      LiveSandbox live,
      SandboxRecord before,
      SnapshotRecord source,
      Sandboxes.@Nullable Timeout timeout,
      boolean useMemory) {
    context.before("resume.start");
    try (Undo undo = new Undo()) {
      MachineStarter.Started started =
          starter.start(
              MachineStarter.Order.next(
                  "resume", before, source, before.terms().environment(), useMemory));
      undo.add("machine of " + live.id(), () -> starter.discard(live.id(), started));
      context.before("resume.commit");
      SandboxRecord awake = timeout == null ? Rollback.awake(before) : given(before, timeout);
      SandboxRecord after = awake.on(started.machine(), source.diskBytes(), source.agentPort());
      // From here on the snapshot it was paused as may be deleted.
      live.becomes(after, started.vm(), context.sandboxes()::saveDurably);
      undo.commit();
    } catch (IOException e) {
      throw Errors.io("cannot resume " + live.id(), context.layout().root(), e);
    }
    lifecycle.begun(live);
    if (useMemory && source.warm()) {
      return;
    }
    // The guest has booted from its disk: nothing needs the memory image, or this snapshot.
    reclaimer.delete(source);
  }

  private static SandboxRecord given(SandboxRecord before, Sandboxes.Timeout timeout) {
    Duration time = timeout.duration();
    return time == null
        ? before.ending(null, before.terms().lasting(null))
        : before.ending(Instant.now().plus(time), before.terms().lasting(time.toSeconds()));
  }

  /**
   * Removes the machine after the pause has succeeded. The next start removes whatever is left
   * after a failure here.
   */
  private void clearAway(SandboxRecord before, @Nullable String kept) {
    try {
      context.before("pause.clear");
      // Deletes it for everybody but this sandbox: it goes with the last one that needs it.
      if (kept != null) {
        context.snapshots().find(kept).ifPresent(reclaimer::delete);
      }
      starter.discardFiles(before.id(), before.machine().number());
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, "cannot clear away the machine of " + before.id(), e);
    }
    reclaimer.reclaim(before.machine().memoryBase());
  }
}
