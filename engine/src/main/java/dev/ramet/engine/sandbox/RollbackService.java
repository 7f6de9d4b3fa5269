// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandbox;

import dev.ramet.engine.StepObserver;
import dev.ramet.engine.machine.MachineOrder;
import dev.ramet.engine.machine.MachineStarter;
import dev.ramet.engine.sandboxes.RollbackReport;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Undo;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rolls a sandbox back to a snapshot. The replacement machine starts while the old one is only
 * paused. Replacing one manifest decides which of the two the sandbox uses, so a failure or a crash
 * at any step leaves exactly one of them.
 */
public final class RollbackService {
  private final SandboxStore sandboxes;
  private final OldMachines oldMachines;
  private final StepObserver steps;
  private final MachineStarter starter;
  private final SandboxLifecycle lifecycle;
  private final SnapshotReclaimer reclaimer;
  private final RecordViews views;

  public RollbackService(
      SandboxStore sandboxes,
      OldMachines oldMachines,
      MachineStarter starter,
      SandboxLifecycle lifecycle,
      SnapshotReclaimer reclaimer,
      RecordViews views,
      StepObserver steps) {
    this.sandboxes = sandboxes;
    this.oldMachines = oldMachines;
    this.starter = starter;
    this.lifecycle = lifecycle;
    this.reclaimer = reclaimer;
    this.views = views;
    this.steps = steps;
  }

  /** Rolls the sandbox back. It keeps its id. */
  RollbackReport rollback(LiveSandbox live, String snapshot) {
    long start = System.nanoTime();
    try (LiveSandbox.Hold hold = live.acquire("rollback");
        SnapshotReclaimer.Pin pin = reclaimer.pin("snapshot", snapshot)) {
      // Look it up again now that this operation holds it: it may have been killed meanwhile.
      SandboxRecord before = sandboxes.get(live.id()).saved();
      // A sandbox whose machine died can be rolled back too.
      RunningVm old = live.machine();
      starter.requireStarts("roll back " + live.id());
      replace(live, before, old, pin.record());
      oldMachines.remove("rollback", before, old);
      return new RollbackReport(views.sandbox(live), pin.record().id(), System.nanoTime() - start);
    }
  }

  private void replace(
      LiveSandbox live, SandboxRecord before, @Nullable RunningVm old, SnapshotRecord source) {
    steps.before("rollback.pause");
    try (PausedVm paused = oldMachines.pause(live, old);
        Undo undo = new Undo()) {
      MachineStarter.Started started =
          starter.start(MachineOrder.next("rollback", before, source, Map.of(), true));
      undo.add("machine of " + live.id(), () -> starter.discard(live.id(), started));
      steps.before("rollback.commit");
      SandboxRecord after =
          renewTimeout(before)
              .withMachine(started.machine(), source.diskBytes(), source.agentPort());
      live.transition(after, started.vm(), sandboxes::save);
      undo.commit();
      live.tracking().close();
      if (old != null) {
        oldMachines.discard(paused, old);
      }
      lifecycle.startWatching(live);
    } catch (IOException e) {
      throw Errors.ioError("cannot roll back " + live.id(), sandboxes.root(), e);
    }
  }

  /**
   * Renews the time limit of a paused sandbox, which has used up its own: it gets as much as it was
   * last given.
   */
  static SandboxRecord renewTimeout(SandboxRecord before) {
    if (before.state() != SandboxRecord.State.PAUSED) {
      return before;
    }
    Long seconds = before.terms().timeoutSeconds();
    return before.withEndAt(seconds == null ? null : Instant.now().plusSeconds(seconds));
  }
}
