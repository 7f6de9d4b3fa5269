// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.machine.HostMemory;
import dev.ramet.engine.machine.LogLimits;
import dev.ramet.engine.sandbox.PauseService;
import dev.ramet.engine.sandbox.SandboxExpiry;
import dev.ramet.engine.sandbox.SandboxLifecycle;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.RootContents;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.support.Undo;
import dev.ramet.engine.tracking.MemoryModes;
import dev.ramet.errors.RametException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The parts that sandboxes live by, from their start to their end.
 *
 * @param lifecycle starts and kills sandboxes
 * @param expiry ends them when their time is over
 * @param pauses pauses them
 */
record LifecycleParts(SandboxLifecycle lifecycle, SandboxExpiry expiry, PauseService pauses) {
  private static final System.Logger LOG = System.getLogger(LifecycleParts.class.getName());
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
  private static final int LOG_SECONDS = 5;

  /** Connects the parts. */
  static LifecycleParts assemble(
      EngineConfig config,
      RootContents root,
      SnapshotReclaimer reclaimer,
      MemoryModes modes,
      EngineThreads threads,
      MachineParts machines,
      CaptureParts captures,
      Undo close) {
    PauseService pauses =
        new PauseService(
            root.sandboxes(),
            modes,
            machines.agent(),
            machines.starter(),
            captures.capturer(),
            captures.disks(),
            reclaimer,
            config.steps());
    SandboxLifecycle lifecycle =
        new SandboxLifecycle(
            root.sandboxes(),
            root.layout(),
            root.hypervisor(),
            machines.starter(),
            reclaimer,
            HostMemory.of(config.settings()),
            kills ->
                new SandboxExpiry(
                    root.sandboxes(),
                    threads.timer(),
                    threads.workers(),
                    kills,
                    (live, keepMemory, wanted) -> {
                      captures
                          .space()
                          .requirePlenty("pause " + live.id() + " at the end of its time");
                      pauses.pause(live, keepMemory, wanted);
                    }),
            config.steps());
    close.add("watching of machines", lifecycle::close);
    close.add("memory trackers", () -> closeTrackers(root.sandboxes()));
    limitLogs(new LogLimits(root.sandboxes(), root.layout()), threads, close);
    return new LifecycleParts(lifecycle, lifecycle.expiry(), pauses);
  }

  private static void limitLogs(LogLimits logs, EngineThreads threads, Undo close) {
    var looks =
        threads
            .timer()
            .scheduleWithFixedDelay(
                () -> threads.workers().execute(logs::apply),
                LOG_SECONDS,
                LOG_SECONDS,
                TimeUnit.SECONDS);
    close.add("limits of logs", () -> looks.cancel(false));
  }

  /** Closes all trackers, so that the machines' processes are left as they were found. */
  private static void closeTrackers(SandboxStore sandboxes) {
    for (LiveSandbox live : sandboxes.all()) {
      try (LiveSandbox.Hold hold = live.acquire("close", CLOSE_TIMEOUT)) {
        live.tracking().close();
      } catch (RametException e) {
        // The tracker's kernel objects are released with this process; the capture under way still
        // needs them.
        LOG.log(System.Logger.Level.WARNING, "cannot stop tracking the memory of {0}", live.id());
      }
    }
  }
}
