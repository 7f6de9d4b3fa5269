// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandbox;

import dev.ramet.engine.Shape;
import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.Errors;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.Settings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/** Starts the clones of one capture in parallel. Thread-safe. */
public final class CloneStarter {
  /** How many clones start at the same time unless the caller says otherwise. */
  public static final Setting<Integer> CONCURRENCY =
      Setting.number(
              "ramet.clone-concurrency",
              1,
              10_000,
              "How many clones start at the same time if the request does not say.")
          .in("machines")
          .orElse("one for each CPU, at least 2")
          .like("4");

  private final SandboxLifecycle lifecycle;
  private final Settings settings;
  private final Path root;

  /**
   * Creates the starter of a root.
   *
   * @param settings say how many clones start at the same time unless the caller does
   * @param root where sandboxes are kept, by which a full disk is recognised
   */
  public CloneStarter(SandboxLifecycle lifecycle, Settings settings, Path root) {
    this.lifecycle = lifecycle;
    this.settings = settings;
    this.root = root;
  }

  private int usualConcurrency() {
    return settings
        .find(CONCURRENCY)
        .orElseGet(() -> Math.max(2, Runtime.getRuntime().availableProcessors()));
  }

  /** Starts all clones. Each outcome is a {@link LiveSandbox} or a {@link RametException}. */
  List<Object> startAll(
      LiveSandbox source,
      SnapshotRecord base,
      List<String> ids,
      CloneRequest request,
      boolean allOrNothing) {
    AtomicBoolean stop = new AtomicBoolean();
    Integer wanted = request.concurrency();
    int concurrency = wanted == null ? usualConcurrency() : wanted;
    SandboxRecord parent = source.saved();
    String wantedMode = request.memoryMode();
    Function<String, Object> one =
        id -> {
          if (stop.get()) {
            return new RametException(ErrorCode.CANCELLED, "another clone failed");
          }
          try {
            return lifecycle.start(
                new SandboxOrder(
                    id,
                    "clone",
                    new SandboxOrder.Source(
                        base, parent.sourceId(), parent.sourceName(), parent.id()),
                    new Shape(base.cpuCount(), base.memoryBytes(), base.diskBytes()),
                    // A name belongs to one sandbox; labels are for all.
                    new Sandbox.Label(null, parent.metadata()),
                    new SandboxOrder.Options(
                        parent.terms().rules(),
                        parent.outbound(),
                        wantedMode == null ? parent.memoryMode() : wantedMode,
                        request.timeout(),
                        parent.terms().environment()),
                    false));
          } catch (RuntimeException e) {
            stop.set(allOrNothing);
            return Errors.translate("cannot start a clone", root, e);
          }
        };
    ExecutorService pool = Executors.newFixedThreadPool(Math.min(concurrency, request.count()));
    try {
      List<Future<Object>> futures = new ArrayList<>();
      for (String id : ids) {
        futures.add(pool.submit(() -> one.apply(id)));
      }
      List<Object> outcomes = new ArrayList<>();
      for (Future<Object> future : futures) {
        outcomes.add(await(future));
      }
      return outcomes;
    } finally {
      pool.shutdown();
    }
  }

  private Object await(Future<Object> future) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return future.get();
        } catch (InterruptedException e) {
          // Wait all the same: the outcome of every clone must be known before any is removed.
          interrupted = true;
        } catch (ExecutionException e) {
          return Errors.translate(
              "cannot start a clone", root, Objects.requireNonNull(e.getCause()));
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
