// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandbox;

import dev.ramet.engine.StepObserver;
import dev.ramet.engine.machine.MachineOrder;
import dev.ramet.engine.machine.MachineStarter;
import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.state.SnapshotStore;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Undo;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Resumes paused sandboxes. Replacing one manifest decides whether the sandbox is paused or runs,
 * so a failure or a crash at any step leaves one of the two. Thread-safe.
 */
public final class ResumeService {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private final SandboxStore sandboxes;
  private final SnapshotStore snapshots;
  private final MachineStarter starter;
  private final SandboxLifecycle lifecycle;
  private final SnapshotReclaimer reclaimer;
  private final StepObserver steps;

  public ResumeService(
      SandboxStore sandboxes,
      SnapshotStore snapshots,
      MachineStarter starter,
      SandboxLifecycle lifecycle,
      SnapshotReclaimer reclaimer,
      StepObserver steps) {
    this.sandboxes = sandboxes;
    this.snapshots = snapshots;
    this.starter = starter;
    this.lifecycle = lifecycle;
    this.reclaimer = reclaimer;
    this.steps = steps;
  }

  /** Resumes a paused sandbox. Does nothing if it runs already. */
  void resume(LiveSandbox live, Sandboxes.@Nullable Timeout timeout, boolean useMemory) {
    try (LiveSandbox.Hold hold = live.acquire("resume", TIMEOUT)) {
      SandboxRecord before = sandboxes.get(live.id()).saved();
      if (before.state() == SandboxRecord.State.RUNNING) {
        return;
      }
      if (before.state() != SandboxRecord.State.PAUSED) {
        live.runningMachine(); // throws the reason
      }
      String from = String.valueOf(before.machine().memoryBase());
      SnapshotRecord source =
          snapshots
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
    steps.before("resume.start");
    try (Undo undo = new Undo()) {
      MachineStarter.Started started =
          starter.start(
              MachineOrder.next("resume", before, source, before.terms().environment(), useMemory));
      undo.add("machine of " + live.id(), () -> starter.discard(live.id(), started));
      steps.before("resume.commit");
      SandboxRecord awake =
          timeout == null ? RollbackService.renewTimeout(before) : withTimeout(before, timeout);
      SandboxRecord after =
          awake.withMachine(started.machine(), source.diskBytes(), source.agentPort());
      // From here on the snapshot it was paused as may be deleted.
      live.transition(after, started.vm(), sandboxes::saveDurably);
      undo.commit();
    } catch (IOException e) {
      throw Errors.ioError("cannot resume " + live.id(), sandboxes.root(), e);
    }
    lifecycle.startWatching(live);
    if (useMemory && source.warm()) {
      return;
    }
    // The guest has booted from its disk: nothing needs the memory image, or this snapshot.
    reclaimer.delete(source);
  }

  private static SandboxRecord withTimeout(SandboxRecord before, Sandboxes.Timeout timeout) {
    Duration time = timeout.duration();
    boolean never = before.terms().timeoutSeconds() == null && !timeout.replacesNever();
    return time == null || never
        ? before.withEnd(null, before.terms().withTimeout(null))
        : before.withEnd(Instant.now().plus(time), before.terms().withTimeout(time.toSeconds()));
  }
}
