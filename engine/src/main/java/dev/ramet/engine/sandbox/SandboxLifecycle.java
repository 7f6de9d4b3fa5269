// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandbox;

import dev.ramet.engine.SandboxRules;
import dev.ramet.engine.core.Context;
import dev.ramet.engine.machine.MachineStarter;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Ids;
import dev.ramet.engine.support.Undo;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.VmExit;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** How sandboxes begin and end. Thread-safe. */
public final class SandboxLifecycle {
  private static final System.Logger LOG = System.getLogger(SandboxLifecycle.class.getName());
  private static final Duration KILL_TIMEOUT = Duration.ofSeconds(10);
  // A kill waits for the operation under way instead of failing: who kills wants it gone.
  private static final Duration KILL_PATIENCE = Duration.ofMinutes(2);

  private final Context context;
  private final MachineStarter starter;
  private final SnapshotReclaimer reclaimer;
  private final SandboxExpiry ends;
  private volatile boolean closed;

  public SandboxLifecycle(
      Context context, MachineStarter starter, SnapshotReclaimer reclaimer, SandboxExpiry ends) {
    this.context = context;
    this.starter = starter;
    this.reclaimer = reclaimer;
    this.ends = ends;
  }

  /**
   * A sandbox to begin.
   *
   * @param id its id
   * @param operation prefix of the steps told to the observer
   * @param source what it starts from; pinned by the caller
   * @param sourceId what to call that towards users: not the same for clones
   * @param sourceName its name, or null
   * @param cpuCount virtual CPUs
   * @param memoryBytes guest memory
   * @param diskBytes virtual size of its disk, at least the source's
   * @param parentId the sandbox it is cloned from, or null
   * @param metadata the creator's own pairs
   * @param environment default environment of its processes
   * @param timeout after which it ends, or null for never
   * @param outbound whether it may open connections
   * @param memoryMode id of the only memory mode for captures of it, or null to choose
   * @param rules what its creator wants of its life
   * @param hidden whether it belongs to an operation and is never shown
   */
  public record Order(
      String id,
      String operation,
      SnapshotRecord source,
      String sourceId,
      @Nullable String sourceName,
      int cpuCount,
      long memoryBytes,
      long diskBytes,
      @Nullable String parentId,
      Map<String, String> metadata,
      Map<String, String> environment,
      @Nullable Duration timeout,
      boolean outbound,
      @Nullable String memoryMode,
      SandboxRules rules,
      boolean hidden) {}

  /** Begins a sandbox and waits for its agent. When this fails, nothing of it is left. */
  public LiveSandbox start(Order order) {
    SnapshotRecord source = order.source();
    Duration timeout = order.timeout();
    Instant now = Instant.now();
    SandboxRecord intent =
        new SandboxRecord(
            order.id(),
            SandboxRecord.State.CREATING,
            null,
            order.hidden(),
            order.sourceId(),
            order.sourceName(),
            order.parentId(),
            order.metadata(),
            now,
            timeout == null ? null : now.plus(timeout),
            order.outbound(),
            order.memoryMode(),
            order.diskBytes(),
            source.agentPort(),
            new SandboxRecord.Terms(
                order.rules(),
                // One that belongs to an operation serves nobody but this host.
                order.rules().secure() || order.hidden() ? Ids.secret() : null,
                order.rules().inbound().anyone() ? null : Ids.secret(),
                timeout == null ? null : timeout.toSeconds(),
                order.environment()),
            new SandboxRecord.Machine(
                1,
                order.cpuCount(),
                order.memoryBytes(),
                source.kernelArguments(),
                false,
                "",
                null,
                null,
                null));
    LiveSandbox live = new LiveSandbox(intent, null);
    try (LiveSandbox.Hold hold = live.hold("start");
        Undo undo = new Undo()) {
      context.before(order.operation() + ".manifest");
      undo.add("manifest of " + order.id(), () -> forget(order.id()));
      context.sandboxes().begin(intent);
      context.sandboxes().add(live);
      MachineStarter.Started started =
          starter.start(
              new MachineStarter.Order(
                  order.operation(),
                  order.id(),
                  1,
                  source,
                  order.cpuCount(),
                  order.memoryBytes(),
                  order.diskBytes(),
                  order.outbound(),
                  order.rules(),
                  order.environment(),
                  intent.terms().accessToken(),
                  // An agent of another vendor may take it once only, and is to be captured yet.
                  !order.hidden() || order.rules().secure(),
                  true));
      undo.add("machine of " + order.id(), () -> starter.discard(order.id(), started));
      context.before(order.operation() + ".commit");
      SandboxRecord record = intent.on(started.machine(), order.diskBytes(), source.agentPort());
      live.becomes(record, started.vm(), context.sandboxes()::save);
      undo.commit();
    } catch (IOException e) {
      throw Errors.io("cannot create a sandbox", context.layout().root(), e);
    }
    begun(live);
    return live;
  }

  private void forget(String id) {
    try {
      context.sandboxes().remove(id);
    } catch (IOException e) {
      throw Errors.io("cannot remove " + id, context.layout().root(), e);
    }
  }

  /** Ends nothing and writes nothing from here on: the root may be opened by another engine. */
  public void close() {
    closed = true;
    ends.close();
  }

  /** Looks after a sandbox whose machine runs from now on: it may end by itself, or at its time. */
  public void begun(LiveSandbox live) {
    watch(live);
    ends.schedule(live);
  }

  /** Notices at once when the sandbox's machine ends by itself. */
  private void watch(LiveSandbox live) {
    RunningVm vm = live.machine();
    if (vm == null) {
      return;
    }
    CompletionStage<VmExit> end;
    try {
      end = vm.exit();
    } catch (RametException e) {
      // It runs all the same; what asks it for something finds out when it has ended.
      LOG.log(System.Logger.Level.WARNING, "the end of " + live.id() + " will go unnoticed", e);
      return;
    }
    var unused =
        end.whenComplete(
            (exit, failure) -> {
              String why = failure == null ? exit.detail() : String.valueOf(failure);
              // Once closed, the root is somebody else's to write.
              if (!closed && live.died(vm, why)) {
                LOG.log(System.Logger.Level.WARNING, "sandbox {0} failed: {1}", live.id(), why);
                try {
                  live.write(context.sandboxes()::save);
                } catch (IOException e) {
                  // The next start finds no machine and comes to the same conclusion.
                  LOG.log(
                      System.Logger.Level.WARNING,
                      "cannot record that " + live.id() + " failed",
                      e);
                }
              }
            });
  }

  /** Ends a sandbox and removes all that is only its own. A failed attempt can be repeated. */
  public void kill(LiveSandbox live) {
    kill(live, record -> true);
  }

  /** The same for one that belongs to an operation: nobody but this tries it again. */
  public void discard(LiveSandbox live) {
    try {
      kill(live);
    } catch (RuntimeException e) {
      boolean gone = e instanceof RametException known && known.code() == ErrorCode.NOT_FOUND;
      if (!gone && !closed) {
        LOG.log(System.Logger.Level.WARNING, "cannot end " + live.id() + " yet", e);
        ends.again(live, () -> discard(live));
      }
    }
  }

  /** Ends it if that is still wanted once nothing else is under way. */
  public void kill(LiveSandbox live, Predicate<SandboxRecord> stillWanted) {
    try (LiveSandbox.Hold hold = live.hold("kill", KILL_PATIENCE)) {
      SandboxRecord record = context.sandboxes().get(live.id()).saved();
      if (!stillWanted.test(record)) {
        return;
      }
      context.before("kill.intent");
      RunningVm vm = live.machine();
      SandboxRecord killed = record.in(SandboxRecord.State.KILLED, null);
      live.becomes(killed, vm, intent -> saveIntent(record, intent));
      context.before("kill.machine");
      live.tracking().close();
      if (vm != null) {
        vm.kill(KILL_TIMEOUT);
      } else if (record.state() != SandboxRecord.State.PAUSED) {
        // One that this host could not find again may run all the same.
        context.hypervisor().reap(context.layout().sandbox(live.id()));
      }
      live.becomes(killed, null);
      context.before("kill.disk");
      starter.discardFiles(live.id(), record.machine().number());
      context.before("kill.manifest");
      context.sandboxes().remove(live.id());
      reclaimer.reclaim(record.machine().memoryBase());
    } catch (IOException e) {
      throw Errors.io("cannot kill " + live.id(), context.layout().root(), e);
    }
  }

  /**
   * Who kills may do so for want of room: then it is done without a record of the intent, and a
   * crash in the middle leaves a sandbox that has failed.
   */
  private void saveIntent(SandboxRecord before, SandboxRecord killed) {
    try {
      if (before.state() == SandboxRecord.State.PAUSED) {
        // A loss of power would bring it back without what it was paused as.
        context.sandboxes().saveDurably(killed);
      } else {
        context.sandboxes().save(killed);
      }
    } catch (IOException e) {
      RametException failure = Errors.io("cannot kill " + killed.id(), context.layout().root(), e);
      if (failure.code() != ErrorCode.NO_SPACE) {
        throw failure;
      }
      LOG.log(System.Logger.Level.WARNING, "killed without a record of it: " + killed.id(), e);
    }
  }
}
