// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandbox;

import dev.ramet.engine.IdListener;
import dev.ramet.engine.StepObserver;
import dev.ramet.engine.sandboxes.CloneReport;
import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.ForkResult;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Ids;
import dev.ramet.engine.tracking.MemoryModes;
import dev.ramet.errors.RametException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Creates many sandboxes from one instant of a running or paused sandbox: it captures the source
 * once and restores the clones in parallel. The capture is never listed. It is deleted with the
 * last clone that depends on it.
 */
public final class Cloner {
  private static final System.Logger LOG = System.getLogger(Cloner.class.getName());
  private static final int MAX_CLONES = 100;

  private final SandboxStore sandboxes;
  private final CloneBases bases;
  private final CloneStarter starter;
  private final SandboxLifecycle lifecycle;
  private final MemoryModes modes;
  private final RecordViews views;
  private final StepObserver steps;

  public Cloner(
      SandboxStore sandboxes,
      CloneBases bases,
      CloneStarter starter,
      SandboxLifecycle lifecycle,
      MemoryModes modes,
      RecordViews views,
      StepObserver steps) {
    this.sandboxes = sandboxes;
    this.bases = bases;
    this.starter = starter;
    this.lifecycle = lifecycle;
    this.modes = modes;
    this.views = views;
    this.steps = steps;
  }

  /** Creates all clones. If one fails, removes the others and the capture. */
  CloneReport cloneAll(LiveSandbox source, CloneRequest request, IdListener listener) {
    long start = System.nanoTime();
    check(request);
    List<String> ids = ids(request);
    listener.assigning(ids);
    try (SnapshotReclaimer.Pin pin = bases.capture(source, request)) {
      SnapshotRecord base = pin.record();
      List<Object> outcomes = starter.startAll(source, base, ids, request, true);
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
          steps.before("clone.commit");
          bases.commit(base);
        }
      } catch (RuntimeException e) {
        first = Errors.translate("cannot clone " + source.id(), sandboxes.root(), e);
      }
      if (first != null) {
        made.forEach(this::killQuietly);
        bases.discard(base);
        throw first;
      }
      return new CloneReport(
          made.stream().map(views::sandbox).toList(), base.capture(), System.nanoTime() - start);
    }
  }

  /** Creates each clone independently: one that fails does not affect the others. */
  List<ForkResult> fork(LiveSandbox source, CloneRequest request, IdListener listener) {
    check(request);
    List<String> ids = ids(request);
    listener.assigning(ids);
    try (SnapshotReclaimer.Pin pin = bases.capture(source, request)) {
      SnapshotRecord base = pin.record();
      List<Object> outcomes = starter.startAll(source, base, ids, request, false);
      bases.commit(base);
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

  private static List<String> ids(CloneRequest request) {
    return Stream.generate(() -> Ids.newId('i')).limit(request.count()).toList();
  }

  private void check(CloneRequest request) {
    if (request.count() < 1 || request.count() > MAX_CLONES) {
      throw RametException.invalid("count", "must be 1 to " + MAX_CLONES);
    }
    Integer concurrency = request.concurrency();
    if (concurrency != null && (concurrency < 1 || concurrency > MAX_CLONES)) {
      throw RametException.invalid("concurrency", "must be 1 to " + MAX_CLONES);
    }
    // Clones are always restored, from the capture that is about to be made.
    modes.checkForced(request.memoryMode(), "");
  }

  private void killQuietly(LiveSandbox live) {
    try {
      lifecycle.kill(live);
    } catch (RuntimeException e) {
      // The base is still pending, so the next start removes this clone.
      LOG.log(System.Logger.Level.WARNING, "cannot undo the clone " + live.id(), e);
    }
  }
}
