// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandbox;

import dev.ramet.engine.StepObserver;
import dev.ramet.engine.machine.HostMemory;
import dev.ramet.engine.machine.MachineOrder;
import dev.ramet.engine.machine.MachineStarter;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Ids;
import dev.ramet.engine.support.Undo;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.VmExit;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;

/** Starts and kills sandboxes, and records when their machines exit. Thread-safe. */
public final class SandboxLifecycle {
  private static final System.Logger LOG = System.getLogger(SandboxLifecycle.class.getName());
  private static final Duration KILL_TIMEOUT = Duration.ofSeconds(10);
  // A kill waits for the operation under way: its caller wants the sandbox gone.
  private static final Duration KILL_PATIENCE = Duration.ofMinutes(2);

  private final SandboxStore sandboxes;
  private final Layout layout;
  private final Hypervisor hypervisor;
  private final StepObserver steps;
  private final MachineStarter starter;
  private final SnapshotReclaimer reclaimer;
  private final HostMemory memory;
  private final SandboxExpiry ends;
  private volatile boolean closed;

  /**
   * Creates the lifecycle of a root's sandboxes.
   *
   * @param memory the memory of this machine, which no guest may exceed
   * @param expiry makes what ends sandboxes in time, given what kills them
   */
  public SandboxLifecycle(
      SandboxStore sandboxes,
      Layout layout,
      Hypervisor hypervisor,
      MachineStarter starter,
      SnapshotReclaimer reclaimer,
      HostMemory memory,
      Function<SandboxExpiry.KillAction, SandboxExpiry> expiry,
      StepObserver steps) {
    this.sandboxes = sandboxes;
    this.layout = layout;
    this.hypervisor = hypervisor;
    this.starter = starter;
    this.reclaimer = reclaimer;
    this.memory = memory;
    this.steps = steps;
    this.ends = expiry.apply(this::kill);
  }

  HostMemory memory() {
    return memory;
  }

  /** Returns what ends these sandboxes in time. */
  public SandboxExpiry expiry() {
    return ends;
  }

  /** Starts a sandbox and waits for its agent. If this fails, nothing of the sandbox is left. */
  public LiveSandbox start(SandboxOrder order) {
    memory.require(order.shape().memoryBytes());
    SnapshotRecord source = order.source().snapshot();
    SandboxOrder.Options options = order.options();
    Duration timeout = options.timeout();
    Instant now = Instant.now();
    SandboxRecord intent =
        SandboxRecord.builder()
            .id(order.id())
            .state(SandboxRecord.State.CREATING)
            .hidden(order.hidden())
            .sourceId(order.source().id())
            .sourceName(order.source().name())
            .parentId(order.source().parentId())
            .label(order.label())
            .startedAt(now)
            .endAt(timeout == null ? null : now.plus(timeout))
            .outbound(options.outbound())
            .memoryMode(options.memoryMode())
            .diskBytes(order.shape().diskBytes())
            .agentPort(source.agentPort())
            .terms(
                new SandboxRecord.Terms(
                    options.rules(),
                    // A sandbox that belongs to an operation serves this host only.
                    options.rules().secure() || order.hidden() ? Ids.secret() : null,
                    options.rules().inbound().anyone() ? null : Ids.secret(),
                    timeout == null ? null : timeout.toSeconds(),
                    options.environment()))
            .machine(
                SandboxRecord.Machine.builder()
                    .number(1)
                    .cpuCount(order.shape().cpuCount())
                    .memoryBytes(order.shape().memoryBytes())
                    .kernelArguments(source.kernelArguments())
                    .hasInitrd(false)
                    .hostAddress("")
                    .build())
            .build();
    LiveSandbox live = new LiveSandbox(intent, null);
    try (LiveSandbox.Hold hold = live.acquire("start");
        Undo undo = new Undo()) {
      sandboxes.takeName(intent.name(), order.id());
      undo.add("name of " + order.id(), () -> sandboxes.releaseName(intent.name(), order.id()));
      steps.before(order.operation() + ".manifest");
      undo.add("manifest of " + order.id(), () -> removeRecord(order.id()));
      sandboxes.createManifest(intent);
      sandboxes.add(live);
      MachineStarter.Started started =
          starter.start(
              new MachineOrder(
                  order.operation(),
                  order.id(),
                  1,
                  source,
                  order.shape(),
                  new MachineOrder.Guest(
                      options.outbound(), options.rules(), options.environment()),
                  new MachineOrder.Token(
                      intent.terms().accessToken(),
                      // A third-party agent may accept a token only once, and this guest is yet
                      // to be captured.
                      !order.hidden() || options.rules().secure()),
                  true));
      undo.add("machine of " + order.id(), () -> starter.discard(order.id(), started));
      steps.before(order.operation() + ".commit");
      SandboxRecord record =
          intent.withMachine(started.machine(), order.shape().diskBytes(), source.agentPort());
      live.transition(record, started.vm(), sandboxes::save);
      undo.commit();
    } catch (IOException e) {
      throw Errors.ioError("cannot create a sandbox", sandboxes.root(), e);
    }
    startWatching(live);
    return live;
  }

  private void removeRecord(String id) {
    try {
      sandboxes.remove(id);
    } catch (IOException e) {
      throw Errors.ioError("cannot remove " + id, sandboxes.root(), e);
    }
  }

  /** Stops ending sandboxes and writing manifests: another engine may open the root. */
  public void close() {
    closed = true;
    ends.close();
  }

  /**
   * Starts watching a sandbox whose machine now runs: the machine may exit, or the sandbox's time
   * may expire.
   */
  public void startWatching(LiveSandbox live) {
    watch(live);
    ends.schedule(live);
  }

  /** Records it at once when the sandbox's machine exits by itself. */
  private void watch(LiveSandbox live) {
    RunningVm vm = live.machine();
    if (vm == null) {
      return;
    }
    CompletionStage<VmExit> end;
    try {
      end = vm.exit();
    } catch (RametException e) {
      // The machine runs all the same. The next request to it fails if it has exited.
      LOG.log(
          System.Logger.Level.WARNING,
          "cannot watch the machine of " + live.id() + "; its exit will not be detected",
          e);
      return;
    }
    var unused =
        end.whenComplete(
            (exit, failure) -> {
              String why = failure == null ? exit.detail() : String.valueOf(failure);
              // Once this is closed, another engine may write to the root.
              if (!closed && live.markExited(vm, why)) {
                LOG.log(System.Logger.Level.WARNING, "sandbox {0} failed: {1}", live.id(), why);
                try {
                  live.write(sandboxes::save);
                } catch (IOException e) {
                  // The next start finds no machine and reaches the same conclusion.
                  LOG.log(
                      System.Logger.Level.WARNING,
                      "cannot record that " + live.id() + " failed",
                      e);
                }
              }
            });
  }

  /**
   * Kills a sandbox and removes everything that belongs to it alone. After a failure it can be
   * called again.
   */
  public void kill(LiveSandbox live) {
    kill(live, record -> true);
  }

  /** Kills a sandbox that belongs to an operation, and keeps trying: no caller will repeat it. */
  public void discard(LiveSandbox live) {
    try {
      kill(live);
    } catch (RuntimeException e) {
      boolean gone = e instanceof RametException known && known.code() == ErrorCode.NOT_FOUND;
      if (!gone && !closed) {
        LOG.log(System.Logger.Level.WARNING, "cannot end " + live.id() + " yet", e);
        ends.retry(live, () -> discard(live));
      }
    }
  }

  /**
   * Waits until no other operation holds the sandbox, then kills it if {@code stillWanted} accepts
   * it.
   */
  public void kill(LiveSandbox live, Predicate<SandboxRecord> stillWanted) {
    try (LiveSandbox.Hold hold = live.acquire("kill", KILL_PATIENCE)) {
      SandboxRecord record = sandboxes.get(live.id()).saved();
      if (!stillWanted.test(record)) {
        return;
      }
      steps.before("kill.intent");
      RunningVm vm = live.machine();
      SandboxRecord killed = record.withState(SandboxRecord.State.KILLED, null);
      live.transition(killed, vm, intent -> saveIntent(record, intent));
      steps.before("kill.machine");
      live.tracking().close();
      PausedVm stopped = live.standstillSlot().take(vm);
      if (stopped != null) {
        stopped.kill();
      } else if (vm != null) {
        vm.kill(KILL_TIMEOUT);
      } else if (record.state() != SandboxRecord.State.PAUSED) {
        // A machine that this host could not find again may still run.
        hypervisor.reap(layout.sandbox(live.id()));
      }
      live.transition(killed, null);
      steps.before("kill.disk");
      starter.discardFiles(live.id(), record.machine().number());
      steps.before("kill.manifest");
      sandboxes.remove(live.id());
      reclaimer.reclaim(record.machine().memoryBase());
    } catch (IOException e) {
      throw Errors.ioError("cannot kill " + live.id(), sandboxes.root(), e);
    }
  }

  /**
   * Records that the sandbox is being killed. The caller may kill it because the disk is full: then
   * it goes on without a record, and a crash in the middle leaves a failed sandbox.
   */
  private void saveIntent(SandboxRecord before, SandboxRecord killed) {
    try {
      if (before.state() == SandboxRecord.State.PAUSED) {
        // After a loss of power the sandbox would be paused again, without the snapshot to resume
        // from.
        sandboxes.saveDurably(killed);
      } else {
        sandboxes.save(killed);
      }
    } catch (IOException e) {
      RametException failure = Errors.ioError("cannot kill " + killed.id(), sandboxes.root(), e);
      if (failure.code() != ErrorCode.NO_SPACE) {
        throw failure;
      }
      LOG.log(
          System.Logger.Level.WARNING,
          "killed, but the record could not be written: " + killed.id(),
          e);
    }
  }
}
