// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandbox;

import dev.ramet.engine.CloneReport;
import dev.ramet.engine.CloneRequest;
import dev.ramet.engine.ForkResult;
import dev.ramet.engine.Intents;
import dev.ramet.engine.Sandbox;
import dev.ramet.engine.capture.Capturer;
import dev.ramet.engine.capture.PausedCapturer;
import dev.ramet.engine.core.Context;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Ids;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.Durability;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Creates many sandboxes from one instant of a running or paused sandbox: it captures the source
 * once and restores the clones in parallel. The capture is never listed. It is deleted with the
 * last clone that depends on it.
 */
public final class Cloner {
  private static final System.Logger LOG = System.getLogger(Cloner.class.getName());
  private static final int MOST_CLONES = 100;

  private final Context context;
  private final Capturer capturer;
  private final PausedCapturer paused;
  private final SandboxLifecycle lifecycle;
  private final SnapshotReclaimer reclaimer;
  private final Views views;

  public Cloner(
      Context context,
      Capturer capturer,
      SandboxLifecycle lifecycle,
      SnapshotReclaimer reclaimer,
      Views views) {
    this.context = context;
    this.capturer = capturer;
    this.paused = new PausedCapturer(context, reclaimer);
    this.lifecycle = lifecycle;
    this.reclaimer = reclaimer;
    this.views = views;
  }

  /** Creates all clones. If one fails, removes the others and the capture. */
  CloneReport cloneAll(LiveSandbox source, CloneRequest request) {
    long start = System.nanoTime();
    check(request);
    List<String> ids = ids(request);
    try (SnapshotReclaimer.Pin pin = captureBase(source, request)) {
      SnapshotRecord base = pin.record();
      List<Object> outcomes = startAll(source, base, ids, request, true);
      List<LiveSandbox> made = new ArrayList<>();
      RametException first = null;
      for (Object outcome : outcomes) {
        if (outcome instanceof LiveSandbox live) {
          made.add(live);
        } else if (first == null && outcome instanceof RametException e) {
          first = e;
        }
      }
      try {
        if (first == null) {
          context.before("clone.commit");
          commit(base);
        }
      } catch (RuntimeException e) {
        first = Errors.any("cannot clone " + source.id(), context.layout().root(), e);
      }
      if (first != null) {
        made.forEach(this::killQuietly);
        deleteQuietly(base);
        throw first;
      }
      return new CloneReport(
          made.stream().map(views::sandbox).toList(), base.capture(), System.nanoTime() - start);
    }
  }

  /** Creates each clone independently: one that fails does not affect the others. */
  List<ForkResult> fork(LiveSandbox source, CloneRequest request) {
    check(request);
    List<String> ids = ids(request);
    try (SnapshotReclaimer.Pin pin = captureBase(source, request)) {
      SnapshotRecord base = pin.record();
      List<Object> outcomes = startAll(source, base, ids, request, false);
      commit(base);
      List<ForkResult> results = new ArrayList<>();
      for (Object outcome : outcomes) {
        if (outcome instanceof LiveSandbox live) {
          Sandbox sandbox = views.sandbox(live);
          results.add(new ForkResult.Made(sandbox));
        } else if (outcome instanceof RametException e) {
          results.add(new ForkResult.NotMade(e));
        }
      }
      return List.copyOf(results);
    }
  }

  /** Chooses the clones' ids and reports them to the caller before any clone is made. */
  private static List<String> ids(CloneRequest request) {
    List<String> ids = Stream.generate(() -> Ids.next('i')).limit(request.count()).toList();
    Intents.tell(ids);
    return ids;
  }

  private void check(CloneRequest request) {
    if (request.count() < 1 || request.count() > MOST_CLONES) {
      throw RametException.invalid("count", "must be 1 to " + MOST_CLONES);
    }
    Integer concurrency = request.concurrency();
    if (concurrency != null && (concurrency < 1 || concurrency > MOST_CLONES)) {
      throw RametException.invalid("concurrency", "must be 1 to " + MOST_CLONES);
    }
    // Clones are always restored, from the capture that is about to be made.
    context.modes().checkForced(request.memoryMode(), "");
  }

  private SnapshotReclaimer.Pin captureBase(LiveSandbox source, CloneRequest request) {
    try (LiveSandbox.Hold hold = source.hold("clone")) {
      SandboxRecord record = context.sandboxes().get(source.id()).saved();
      boolean isPaused = PausedCapturer.fits(record);
      // The capture need not survive a loss of power, because the clones do not either.
      Capturer.Order order =
          new Capturer.Order(
              Ids.next('c'),
              SnapshotRecord.Kind.CLONE_BASE,
              null,
              null,
              record.sourceId(),
              null,
              // A paused sandbox's memory was captured when it was paused.
              isPaused ? null : request.memoryMode(),
              false,
              Durability.RELAXED,
              null);
      return reclaimer.pin(
          isPaused ? paused.capture(record, order, true) : capturer.capture(source, order));
    }
  }

  /** Starts all clones. Each outcome is a {@link LiveSandbox} or a {@link RametException}. */
  private List<Object> startAll(
      LiveSandbox source,
      SnapshotRecord base,
      List<String> ids,
      CloneRequest request,
      boolean allOrNothing) {
    AtomicBoolean stop = new AtomicBoolean();
    Integer wanted = request.concurrency();
    int concurrency = wanted == null ? context.config().cloneConcurrency() : wanted;
    SandboxRecord parent = source.saved();
    String wantedMode = request.memoryMode();
    Function<String, Object> one =
        id -> {
          if (stop.get()) {
            return new RametException(ErrorCode.CANCELLED, "another clone failed");
          }
          try {
            return lifecycle.start(
                new SandboxLifecycle.Order(
                    id,
                    "clone",
                    base,
                    parent.sourceId(),
                    parent.sourceName(),
                    base.cpuCount(),
                    base.memoryBytes(),
                    base.diskBytes(),
                    parent.id(),
                    parent.metadata(),
                    parent.terms().environment(),
                    request.timeout(),
                    parent.outbound(),
                    wantedMode == null ? parent.memoryMode() : wantedMode,
                    parent.terms().rules(),
                    false));
          } catch (RuntimeException e) {
            stop.set(allOrNothing);
            return Errors.any("cannot start a clone", context.layout().root(), e);
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
          return Errors.any(
              "cannot start a clone",
              context.layout().root(),
              Objects.requireNonNull(e.getCause()));
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Commits the clones: from here on they survive a crash of the engine, and the base is deleted
   * with the last of them.
   */
  private void commit(SnapshotRecord base) {
    try {
      context.snapshots().update(base.asDeleted(), false);
    } catch (IOException e) {
      throw Errors.io("cannot clone", context.layout().root(), e);
    }
  }

  private void killQuietly(LiveSandbox live) {
    try {
      lifecycle.kill(live);
    } catch (RuntimeException e) {
      // The base is still pending, so the next start removes this clone.
      LOG.log(System.Logger.Level.WARNING, "cannot take back the clone " + live.id(), e);
    }
  }

  private void deleteQuietly(SnapshotRecord base) {
    try {
      reclaimer.delete(base);
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, "cannot take back the capture " + base.id(), e);
    }
  }
}
