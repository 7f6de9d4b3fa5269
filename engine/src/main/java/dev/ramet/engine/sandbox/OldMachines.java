// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandbox;

import dev.ramet.engine.StepObserver;
import dev.ramet.engine.machine.MachineStarter;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Pauses and removes the machine of a sandbox that gets another one. The old machine may be dead or
 * deaf: such a machine needs replacing most. Thread-safe; the caller holds the sandbox.
 */
public final class OldMachines {
  private static final System.Logger LOG = System.getLogger(OldMachines.class.getName());

  private static final Duration LAST_BREATH = Duration.ofSeconds(2);
  private static final Duration KILL_TIMEOUT = Duration.ofSeconds(10);

  /** Errors from a machine that does not follow a request, or not in time. */
  private static final Set<ErrorCode> DEAF =
      EnumSet.of(ErrorCode.HYPERVISOR_FAILED, ErrorCode.DEADLINE_EXCEEDED);

  private final Layout layout;
  private final Hypervisor hypervisor;
  private final MachineStarter starter;
  private final SnapshotReclaimer reclaimer;
  private final StepObserver steps;

  public OldMachines(
      Layout layout,
      Hypervisor hypervisor,
      MachineStarter starter,
      SnapshotReclaimer reclaimer,
      StepObserver steps) {
    this.layout = layout;
    this.hypervisor = hypervisor;
    this.starter = starter;
    this.reclaimer = reclaimer;
    this.steps = steps;
  }

  /**
   * Pauses the old machine, unless the host has paused it already for lack of space. Returns null
   * if there is none, or if it does not respond.
   */
  @Nullable PausedVm pause(LiveSandbox live, @Nullable RunningVm old) {
    if (old == null) {
      return null;
    }
    PausedVm stopped = live.standstillSlot().take(old);
    if (stopped != null) {
      return stopped;
    }
    try {
      return old.pause();
    } catch (RametException e) {
      if (exitsWithin(old, LAST_BREATH)) {
        return null;
      }
      // The guard may be waiting for its pause already.
      boolean deaf = DEAF.contains(e.code()) || live.silence() != null;
      if (!deaf) {
        throw e;
      }
      LOG.log(System.Logger.Level.WARNING, "the machine does not pause; it is replaced", e);
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
   * Ends the old machine once its replacement is in use.
   *
   * @param paused the machine as {@link #pause} returned it
   */
  void discard(@Nullable PausedVm paused, RunningVm old) {
    starter.discardMachine(paused == null ? () -> killIfRunning(old) : paused::kill, old);
  }

  /** Ends a machine that does not pause. Throws {@code HYPERVISOR_FAILED} if it may still run. */
  void end(RunningVm old) {
    discard(null, old);
    boolean ended =
        exitsWithin(old, LAST_BREATH)
            || ProcessHandle.of(old.pid()).filter(ProcessHandle::isAlive).isEmpty();
    if (!ended) {
      throw new RametException(
          ErrorCode.HYPERVISOR_FAILED,
          "the machine in " + old.spec().directory() + " neither pauses nor ends",
          "see the host's log, and end process " + old.pid() + " by hand",
          null);
    }
  }

  private static void killIfRunning(RunningVm vm) {
    if (!vm.exit().toCompletableFuture().isDone()) {
      vm.kill(KILL_TIMEOUT);
    }
  }

  /** Ends a machine that this host could not find again and that may still run. */
  void reap(SandboxRecord record) {
    Path directory = layout.machine(record.id(), record.machine().number());
    hypervisor.reap(directory);
  }

  /**
   * Removes the files of the old machine after the operation has succeeded. The next start removes
   * whatever is left after a failure here.
   *
   * @param operation prefix of the step reported to the observer
   * @param old the machine, or null if there was none
   */
  void remove(String operation, SandboxRecord before, @Nullable RunningVm old) {
    try {
      steps.before(operation + ".clear");
      if (old == null && before.state() != SandboxRecord.State.PAUSED) {
        reap(before);
      }
      starter.discardFiles(before.id(), before.machine().number());
      reclaimer.reclaim(before.machine().memoryBase());
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, "cannot remove the old machine of " + before.id(), e);
    }
  }
}
