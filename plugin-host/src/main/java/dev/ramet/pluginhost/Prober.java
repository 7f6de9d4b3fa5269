// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost;

import dev.ramet.pluginhost.find.PluginKind;
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

/**
 * Probes providers in parallel. A probe that hangs is reported as failed. A probe that failed is
 * tried once more, but not one that found the provider unusable: a host that was slow for a moment
 * must not lose the plugin that all its sandboxes need.
 */
public final class Prober {
  private static final System.Logger LOG = System.getLogger(Prober.class.getName());

  private final Duration deadline;

  /**
   * Creates a prober.
   *
   * @param deadline how long one probe may take, including its second try
   */
  public Prober(Duration deadline) {
    this.deadline = deadline;
  }

  /**
   * Probes all providers of a role, each in the context that {@code where} returns for its id.
   * Keeps the order.
   */
  public List<ProbedProvider> probe(
      PluginKind role, List<Provider<?>> providers, Function<String, ProbeContext> where) {
    return start(role, providers, where).results();
  }

  /** Begins to probe all providers of a role, for callers that have other work meanwhile. */
  public Pending start(
      PluginKind role, List<Provider<?>> providers, Function<String, ProbeContext> where) {
    List<FutureTask<ProbedProvider>> tasks = new ArrayList<>();
    for (Provider<?> provider : providers) {
      FutureTask<ProbedProvider> task =
          new FutureTask<>(() -> probeOne(role, provider, where.apply(provider.id())));
      // A new thread for each, because a pool would lose one to every probe that hangs.
      Thread thread = new Thread(task, "probe-" + provider.id());
      thread.setDaemon(true);
      thread.start();
      tasks.add(task);
    }
    long end = System.nanoTime() + deadline.toNanos();
    return () -> {
      List<ProbedProvider> results = new ArrayList<>();
      for (int i = 0; i < tasks.size(); i++) {
        results.add(await(role, providers.get(i), tasks.get(i), end));
      }
      return List.copyOf(results);
    };
  }

  /** Probes under way. */
  public interface Pending {
    /**
     * Waits for the probes, up to the deadline, and returns their results in the order of the
     * providers.
     */
    List<ProbedProvider> results();
  }

  private ProbedProvider await(
      PluginKind role, Provider<?> provider, FutureTask<ProbedProvider> task, long end) {
    try {
      return task.get(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      task.cancel(true);
      return new ProbedProvider(
          role,
          provider,
          new ProbeResult.Failed(
              new TimeoutException("no answer within " + deadline.toMillis() + " ms")),
          deadline.toMillis());
    } catch (ExecutionException e) {
      return new ProbedProvider(role, provider, new ProbeResult.Failed(e), 0);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new ProbedProvider(role, provider, new ProbeResult.Failed(e), 0);
    }
  }

  private static ProbedProvider probeOne(
      PluginKind role, Provider<?> provider, ProbeContext where) {
    long start = System.nanoTime();
    ProbeResult result = tryOnce(provider, where);
    if (result instanceof ProbeResult.Failed failed && !Thread.currentThread().isInterrupted()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "the probe of " + provider.id() + " failed; trying once more",
          failed.cause());
      result = tryOnce(provider, where);
    }
    return new ProbedProvider(
        role, provider, result, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
  }

  private static ProbeResult tryOnce(Provider<?> provider, ProbeContext where) {
    try {
      return provider.probe(where);
    } catch (RuntimeException | LinkageError e) {
      return new ProbeResult.Failed(e);
    }
  }
}
