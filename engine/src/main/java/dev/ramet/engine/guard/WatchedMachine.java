// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.guard;

import static java.lang.System.Logger.Level.INFO;

import dev.ramet.engine.sandboxes.Standstill;
import dev.ramet.engine.space.StandstillSlot;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.pluginhost.guard.Capability;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.StopsOnDiskError;
import dev.ramet.spi.hypervisor.StopsOnDiskError.DiskStop;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A machine that the guard watches, pauses and lets go on. The methods are called by the guard's
 * thread and do not wait for the machine, see {@link MachineCalls}.
 */
final class WatchedMachine {
  private static final System.Logger LOG = System.getLogger(WatchedMachine.class.getName());

  /** A machine that says nothing is asked this often. */
  private static final Duration BETWEEN_QUESTIONS = Duration.ofSeconds(1);

  /** A machine that runs this long after it was let go on has found room. */
  private static final Duration SETTLED = Duration.ofMillis(500);

  private static final Duration AGAIN = Duration.ofSeconds(1);
  private static final Duration ERROR_AGAIN = Duration.ofSeconds(10);
  private static final Duration KILL_TIMEOUT = Duration.ofSeconds(10);

  private final LiveSandbox live;
  private final RunningVm vm;
  private final @Nullable StopsOnDiskError stops;
  private final MachineCalls calls;
  private final LongSupplier clock;
  private final Runnable wake;

  private long askedNanos;
  private long triedNanos;

  /** Whether a disk may have stopped the machine since it was last asked. */
  private volatile boolean signalled = true;

  /** Whether the host wants it paused. Guarded by this. */
  private boolean wanted;

  /** Whether it must be ended because its start was refused. */
  private boolean refused;

  /** Whether it may still be paused because a resume failed. */
  private volatile boolean resume;

  /** When it was last let go on, and what had stopped it. */
  private volatile @Nullable Trial trial;

  private record Trial(Standstill why, long nanos) {}

  /**
   * Begins to watch.
   *
   * @param wake called on any thread when something has changed
   */
  WatchedMachine(
      LiveSandbox live, RunningVm vm, Executor threads, LongSupplier clock, Runnable wake) {
    this.live = live;
    this.vm = vm;
    this.stops = Capability.guarded(vm, StopsOnDiskError.class);
    this.calls = new MachineCalls(live, vm, threads, clock, wake);
    this.clock = clock;
    this.wake = wake;
    this.triedNanos = clock.getAsLong();
    StopsOnDiskError stopping = stops;
    if (stopping != null) {
      calls.begin(() -> stopping.onDiskStop(this::signal));
    }
  }

  private void signal() {
    signalled = true;
    wake.run();
  }

  LiveSandbox live() {
    return live;
  }

  RunningVm vm() {
    return vm;
  }

  /** Returns whether its hypervisor lets a full disk reach the guest. */
  boolean isUnstoppable() {
    return stops == null;
  }

  MachineCalls calls() {
    return calls;
  }

  boolean isHeld() {
    return slot().holds(vm);
  }

  private StandstillSlot slot() {
    return live.standstillSlot();
  }

  /** Begins to pause the machine until {@link #release}. */
  void pause() {
    synchronized (this) {
      wanted = true;
    }
    if (isHeld()) {
      return;
    }
    calls.begin(
        () -> {
          PausedVm pause = vm.pause();
          synchronized (this) {
            if (wanted) {
              slot().hold(vm, pause);
              return;
            }
          }
          // It took so long that nobody wants it any more.
          end(pause);
        });
  }

  /** Ends the pause; {@link #settle} does it if the machine is busy now. */
  void release() {
    synchronized (this) {
      wanted = false;
    }
    settle();
  }

  private void settle() {
    boolean held;
    synchronized (this) {
      held = !wanted && isHeld();
    }
    if (held) {
      triedNanos = clock.getAsLong();
      calls.begin(
          () -> {
            PausedVm pause = slot().take(vm);
            if (pause != null) {
              end(pause);
            }
          });
    }
  }

  private void end(PausedVm pause) {
    resume = true;
    pause.close();
    resume = false;
  }

  /** Makes the pause last until {@link #release}. */
  void extend(String full) {
    slot().extend(vm, full);
  }

  /** Ends a machine whose start is refused. */
  void refuse(StartGate.Start start, String full) {
    if (start.refuse(full)) {
      LOG.log(INFO, "the start of sandbox {0} is refused: {1}", live.id(), full);
      refused = true;
    }
    if (refused && calls.begin(this::kill)) {
      refused = false;
    }
  }

  private void kill() {
    PausedVm pause = slot().take(vm);
    if (pause == null) {
      vm.kill(KILL_TIMEOUT);
    } else {
      pause.kill();
    }
  }

  /** Asks the machine, if it may have something to tell, whether its disk has stopped it. */
  private void ask() {
    StopsOnDiskError stopping = stops;
    long now = clock.getAsLong();
    boolean due =
        signalled || slot().of(vm) != null || now - askedNanos >= BETWEEN_QUESTIONS.toNanos();
    if (stopping == null || !due) {
      return;
    }
    boolean begun =
        calls.begin(
            () -> {
              signalled = false;
              note(stopping.diskStop());
            });
    if (begun) {
      askedNanos = now;
    }
  }

  private void note(Optional<DiskStop> stop) {
    Standstill before = slot().of(vm);
    Standstill now = stop.map(one -> DiskErrors.standstill(one, vm)).orElseGet(this::tried);
    slot().note(vm, now);
    if ((before == null) != (now == null)) {
      wake.run();
    }
  }

  /** Until it has run for a while it still counts as stopped: it mostly stops again at once. */
  private @Nullable Standstill tried() {
    Trial last = trial;
    return last != null && clock.getAsLong() - last.nanos() < SETTLED.toNanos() ? last.why() : null;
  }

  /** Lets the machine go on if that is due, or else asks it. */
  void follow(boolean room) {
    settle();
    if (isHeld()) {
      return;
    }
    StopsOnDiskError stopping = stops;
    Standstill still = slot().of(vm);
    if (resume) {
      resumeAgain();
    } else if (still != null && stopping != null && due(still, room)) {
      // Not tried if a question is still under way: then at the next turn.
      if (calls.begin(() -> goOn(stopping))) {
        triedNanos = clock.getAsLong();
      }
    } else {
      ask();
    }
  }

  private boolean due(Standstill still, boolean room) {
    Duration pause = still.cause() == Standstill.Cause.NO_SPACE && room ? AGAIN : ERROR_AGAIN;
    return clock.getAsLong() - triedNanos >= pause.toNanos();
  }

  private void goOn(StopsOnDiskError stopping) {
    note(stopping.diskStop());
    Standstill still = slot().of(vm);
    if (still == null) {
      return; // it has gone on
    }
    try (LiveSandbox.Hold hold = live.acquire("go on after a full disk")) {
      trial = new Trial(still, clock.getAsLong());
      stopping.goOn();
    }
  }

  /** Tries again to resume it, unless an operation holds the sandbox: that may have paused it. */
  private void resumeAgain() {
    StopsOnDiskError stopping = stops;
    calls.begin(
        () -> {
          try (LiveSandbox.Hold hold = live.acquire("go on after a failed resume")) {
            if (live.machine() == vm) {
              if (stopping == null) {
                vm.pause().close();
              } else {
                stopping.goOn();
              }
            }
            resume = false;
          }
        });
  }
}
