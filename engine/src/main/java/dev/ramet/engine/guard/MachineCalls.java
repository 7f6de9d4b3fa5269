// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.guard;

import static java.lang.System.Logger.Level.DEBUG;
import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.spi.hypervisor.RunningVm;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The guard's calls to one machine. They run on other threads, one at a time, so that a hypervisor
 * that hangs delays its own machine only. The guard's thread is the only caller of the methods.
 */
final class MachineCalls {
  private static final System.Logger LOG = System.getLogger(MachineCalls.class.getName());

  /** The guard waits this long for a call, once; a machine that takes longer is shown. */
  static final Duration PATIENCE = Duration.ofSeconds(2);

  private final LiveSandbox live;
  private final RunningVm vm;
  private final Executor threads;
  private final LongSupplier clock;
  private final Runnable wake;

  private @Nullable Call last;
  private boolean overdue;
  private volatile boolean silent;

  private record Call(CompletableFuture<Void> done, long beganNanos, Instant began) {}

  /**
   * Creates the calls of a machine.
   *
   * @param wake called on any thread when a machine answers again
   */
  MachineCalls(
      LiveSandbox live, RunningVm vm, Executor threads, LongSupplier clock, Runnable wake) {
    this.live = live;
    this.vm = vm;
    this.threads = threads;
    this.clock = clock;
    this.wake = wake;
  }

  private @Nullable Call underWay() {
    Call now = last;
    return now == null || now.done().isDone() ? null : now;
  }

  /**
   * Begins a call unless one is under way. Failures are logged only: the machine may have been
   * paused by somebody or have ended, and the guard tries again at a later turn.
   *
   * @return whether it was begun
   */
  boolean begin(Runnable action) {
    if (underWay() != null) {
      return false;
    }
    CompletableFuture<Void> done = new CompletableFuture<>();
    overdue = false;
    last = new Call(done, clock.getAsLong(), Instant.now());
    threads.execute(
        () -> {
          try {
            action.run();
          } catch (RuntimeException | Error e) {
            LOG.log(DEBUG, "{0}: {1}", live.id(), e);
          } finally {
            done.complete(null);
            if (silent) {
              wake.run();
            }
          }
        });
    return true;
  }

  /** Waits until all calls have ended, but for each call that takes too long only once. */
  static void await(Collection<MachineCalls> all) {
    List<Call> calls =
        all.stream()
            .filter(one -> !one.overdue)
            .map(MachineCalls::underWay)
            .filter(Objects::nonNull)
            .toList();
    try {
      CompletableFuture.allOf(
              calls.stream().map(Call::done).toArray(size -> new CompletableFuture<?>[size]))
          .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      all.forEach(one -> one.overdue = one.underWay() != null);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e); // no call completes so
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Shows whether the hypervisor answers. */
  void show() {
    Call now = underWay();
    boolean before = silent;
    silent = now != null && clock.getAsLong() - now.beganNanos() >= PATIENCE.toNanos();
    if (now != null && silent && !before) {
      String detail =
          "its hypervisor (process %d) has not answered since %s; this is the last known state"
              .formatted(vm.pid(), now.began().truncatedTo(ChronoUnit.SECONDS));
      live.standstillSlot().noteSilence(vm, detail);
      LOG.log(
          WARNING,
          "sandbox {0}: {1}; if it does not recover, restart, roll back or kill the sandbox",
          live.id(),
          detail);
    } else if (!silent && before) {
      live.standstillSlot().noteSilence(vm, null);
      LOG.log(INFO, "the hypervisor of sandbox {0} answers again", live.id());
    }
  }
}
