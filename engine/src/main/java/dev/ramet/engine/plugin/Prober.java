// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.plugin;

import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.Provider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** Probes providers side by side. A probe that hangs is reported, not waited for. */
public final class Prober {
  private final Duration deadline;

  /**
   * A prober.
   *
   * @param deadline how long one probe may take
   */
  public Prober(Duration deadline) {
    this.deadline = deadline;
  }

  /** Probes all providers of a role, each where {@code where} says; the order is kept. */
  public List<Probed> probe(
      Role role, List<Provider<?>> providers, Function<String, ProbeContext> where) {
    List<FutureTask<Probed>> tasks = new ArrayList<>();
    for (Provider<?> provider : providers) {
      FutureTask<Probed> task =
          new FutureTask<>(() -> probeOne(role, provider, where.apply(provider.id())));
      // A thread of its own, since a hanging one cannot be taken back into a pool.
      Thread thread = new Thread(task, "probe-" + provider.id());
      thread.setDaemon(true);
      thread.start();
      tasks.add(task);
    }
    long end = System.nanoTime() + deadline.toNanos();
    List<Probed> results = new ArrayList<>();
    for (int i = 0; i < tasks.size(); i++) {
      results.add(await(role, providers.get(i), tasks.get(i), end));
    }
    return List.copyOf(results);
  }

  private Probed await(Role role, Provider<?> provider, FutureTask<Probed> task, long end) {
    try {
      return task.get(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      task.cancel(true);
      return new Probed(
          role,
          provider,
          new ProbeResult.Failed(
              new TimeoutException("no answer within " + deadline.toMillis() + " ms")),
          deadline.toMillis());
    } catch (ExecutionException e) {
      return new Probed(role, provider, new ProbeResult.Failed(e), 0);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Probed(role, provider, new ProbeResult.Failed(e), 0);
    }
  }

  private static Probed probeOne(Role role, Provider<?> provider, ProbeContext where) {
    long start = System.nanoTime();
    ProbeResult result;
    try {
      result = provider.probe(where);
    } catch (RuntimeException | LinkageError e) {
      result = new ProbeResult.Failed(e);
    }
    return new Probed(
        role, provider, result, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
  }
}
