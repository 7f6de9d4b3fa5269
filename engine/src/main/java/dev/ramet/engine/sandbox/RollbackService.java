// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandbox;

import dev.ramet.engine.StepObserver;
import dev.ramet.engine.machine.MachineOrder;
import dev.ramet.engine.machine.MachineStarter;
import dev.ramet.engine.sandboxes.RollbackReport;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Undo;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Rolls a sandbox back to a snapshot. The replacement machine starts while the old one is only
 * paused. Replacing one manifest decides which of the two the sandbox uses, so a failure or a crash
 * at any step leaves exactly one of them.
 */
public final class RollbackService {
  private static final System.Logger LOG = System.getLogger(RollbackService.class.getName());

  private static final Duration LAST_BREATH = Duration.ofSeconds(2);
  private static final Duration KILL_TIMEOUT = Duration.ofSeconds(10);

  /** Errors from a machine that does not follow a request, or not in time. */
  private static final Set<ErrorCode> DEAF =
      EnumSet.of(ErrorCode.HYPERVISOR_FAILED, ErrorCode.DEADLINE_EXCEEDED);

  private final SandboxStore sandboxes;
  private final Layout layout;
  private final Hypervisor hypervisor;
  private final StepObserver steps;
  private final MachineStarter starter;
  private final SandboxLifecycle lifecycle;
  private final SnapshotReclaimer reclaimer;
  private final RecordViews views;

  public RollbackService(
      SandboxStore sandboxes,
      Layout layout,
      Hypervisor hypervisor,
      MachineStarter starter,
      SandboxLifecycle lifecycle,
      SnapshotReclaimer reclaimer,
      RecordViews views,
      StepObserver steps) {
    this.sandboxes = sandboxes;
    this.layout = layout;
    this.hypervisor = hypervisor;
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
      replace(live, before, old, pin.record());
      removeOldMachine(before, old);
      return new RollbackReport(views.sandbox(live), pin.record().id(), System.nanoTime() - start);
    }
  }

  private void replace(
      LiveSandbox live, SandboxRecord before, @Nullable RunningVm old, SnapshotRecord source) {
    steps.before("rollback.pause");
    try (PausedVm paused = pause(old);
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
        starter.discardMachine(paused == null ? () -> killIfRunning(old) : paused::kill, old);
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

  private static void killIfRunning(RunningVm vm) {
    if (!vm.exit().toCompletableFuture().isDone()) {
      vm.kill(KILL_TIMEOUT);
    }
  }

  /**
   * Pauses the old machine. Returns null if there is none, or if it does not respond: such a
   * machine needs replacing most.
   */
  private static @Nullable PausedVm pause(@Nullable RunningVm old) {
    if (old == null) {
      return null;
    }
    try {
      return old.pause();
    } catch (RametException e) {
      if (exitsWithin(old, LAST_BREATH)) {
        return null;
      }
      if (!DEAF.contains(e.code())) {
        throw e;
      }
      LOG.log(
          System.Logger.Level.WARNING, "the machine does not pause; the rollback replaces it", e);
      return null;
    }
  }

  /**
   * Waits for the exit of a dying machine: its VMM fails requests a moment before the exit is
   * known.
   */
  private static boolean exitsWithin(RunningVm vm, Duration time) {
    try {
      vm.exit().toCompletableFuture().get(time.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException | ExecutionException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * Removes the old machine after the rollback has succeeded. The next start removes whatever is
   * left after a failure here.
   */
  private void removeOldMachine(SandboxRecord before, @Nullable RunningVm old) {
    try {
      steps.before("rollback.clear");
      if (old == null && before.state() != SandboxRecord.State.PAUSED) {
        // A machine that this host could not find again may still run.
        Path directory = layout.machine(before.id(), before.machine().number());
        hypervisor.reap(directory);
      }
      starter.discardFiles(before.id(), before.machine().number());
      reclaimer.reclaim(before.machine().memoryBase());
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, "cannot remove the old machine of " + before.id(), e);
    }
  }
}
