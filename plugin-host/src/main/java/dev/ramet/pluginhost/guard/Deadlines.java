// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.guard;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs calls of plugins that have a deadline by contract. A call that exceeds it is interrupted and
 * left on its own thread, so that no caller waits for it and no lock stays held. Thread-safe.
 *
 * @param guard names the plugin in errors
 * @param grace how much longer than its deadline a call may take to clean up
 */
record Deadlines(Guard guard, Duration grace) {
  /** More than a driver needs to end what it started. */
  static final Duration GRACE = Duration.ofSeconds(15);

  private static final Executor THREADS =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work, "ramet-plugin-call");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * Makes a call and waits for it. An interrupt is passed on to the call, whose outcome counts.
   *
   * @param late receives the result of a call that ended after its deadline
   * @return the result of the call, which may be null
   * @throws Throwable the call's exception; {@code DEADLINE_EXCEEDED} if the call does not end in
   *     time
   */
  <T> @Nullable T call(String name, Duration timeout, Supplier<@Nullable T> call, Consumer<T> late)
      throws Throwable {
    AtomicReference<@Nullable Thread> worker = new AtomicReference<>();
    AtomicBoolean unwanted = new AtomicBoolean();
    CompletableFuture<@Nullable T> answer = new CompletableFuture<>();
    THREADS.execute(
        () -> {
          worker.set(Thread.currentThread());
          try {
            if (unwanted.get()) {
              Thread.currentThread().interrupt();
            }
            answer.complete(call.get());
          } catch (Throwable e) { // the caller handles whatever a plugin throws
            answer.completeExceptionally(e);
          } finally {
            worker.set(null);
          }
        });
    long end = System.nanoTime() + timeout.plus(grace).toNanos();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return answer.get(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
          unwanted.set(true);
          interrupt(worker);
        } catch (ExecutionException e) {
          throw e.getCause();
        } catch (TimeoutException e) {
          interrupt(worker);
          var unused =
              answer.thenAccept(it -> guard.runQuietly("undo " + name, () -> give(late, it)));
          throw guard.deadlineExceeded(name, timeout);
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static <T> void give(Consumer<T> late, @Nullable T answer) {
    if (answer != null) {
      late.accept(answer);
    }
  }

  private static void interrupt(AtomicReference<@Nullable Thread> worker) {
    Thread thread = worker.get();
    if (thread != null) {
      thread.interrupt();
    }
  }

  /** Makes a call without a result, like {@link #call}. */
  void run(String name, Duration timeout, Runnable call) throws Throwable {
    this.<Object>call(
        name,
        timeout,
        () -> {
          call.run();
          return null;
        },
        nothing -> {});
  }
}
