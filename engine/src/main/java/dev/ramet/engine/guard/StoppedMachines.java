// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.guard;

import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import dev.ramet.engine.metrics.Counter;
import dev.ramet.engine.metrics.Registry;
import dev.ramet.engine.sandboxes.Standstill;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.spi.hypervisor.Disk;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.storage.Attachment;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Follows the machines that their disks have stopped: reports each stop, lets them go on, and stops
 * machines itself before their disks are full. Used by one thread, which never waits long for a
 * machine.
 */
final class StoppedMachines {
  private static final System.Logger LOG = System.getLogger(StoppedMachines.class.getName());

  private final SandboxStore sandboxes;
  private final StartGate gate;
  private final Executor threads;
  private final LongSupplier clock;
  private final Runnable wake;
  private final Counter stops;
  private final Map<RunningVm, WatchedMachine> watched = new LinkedHashMap<>();

  /** The stops that were reported and are not over. */
  private final Map<RunningVm, Standstill> reported = new LinkedHashMap<>();

  /**
   * Creates the watch.
   *
   * @param gate the machines that are being started
   * @param threads run the calls to machines
   * @param clock the time in nanoseconds, like {@link System#nanoTime}
   * @param wake called on any thread when something may have changed
   */
  StoppedMachines(
      SandboxStore sandboxes,
      StartGate gate,
      Registry metrics,
      Executor threads,
      LongSupplier clock,
      Runnable wake) {
    this.sandboxes = sandboxes;
    this.gate = gate;
    this.threads = threads;
    this.clock = clock;
    this.wake = wake;
    this.stops =
        metrics.counter(
            "ramet_sandbox_standstills_total",
            "How often a full or broken disk of the host stopped a sandbox, by cause, and whether"
                + " the hypervisor stopped it or the host did so in time.",
            "cause",
            "by");
    metrics.gauge(
        "ramet_sandboxes_standing_still",
        "Running sandboxes that a full or broken disk of the host has stopped.",
        "cause",
        () -> count(sandboxes));
  }

  private static Map<String, Long> count(SandboxStore sandboxes) {
    Map<String, Long> counts = new TreeMap<>();
    for (Standstill.Cause cause : Standstill.Cause.values()) {
      counts.put(Registry.label(cause), 0L);
    }
    for (LiveSandbox live : sandboxes.all()) {
      Standstill still = live.standstill();
      if (still != null && !live.saved().hidden()) {
        counts.merge(Registry.label(still.cause()), 1L, Long::sum);
      }
    }
    return counts;
  }

  /** Notices new machines, also those that are being started, and those that are gone. */
  void refresh() {
    Map<RunningVm, LiveSandbox> now = new LinkedHashMap<>();
    for (LiveSandbox live : sandboxes.all()) {
      RunningVm vm = live.machine();
      if (vm != null && live.saved().state() == SandboxRecord.State.RUNNING) {
        now.put(vm, live);
        gate.forget(vm);
      }
    }
    for (StartGate.Start start : gate.running()) {
      RunningVm vm = start.vm();
      LiveSandbox live = sandboxes.lookUp(start.sandboxId()).orElse(null);
      if (vm == null || live == null) {
        continue;
      }
      if (vm.exit().toCompletableFuture().isDone()) {
        gate.forget(vm);
      } else {
        now.put(vm, live);
      }
    }
    watched.keySet().retainAll(now.keySet());
    reported.keySet().retainAll(now.keySet());
    now.forEach(
        (vm, live) ->
            watched.computeIfAbsent(
                vm, same -> new WatchedMachine(live, same, threads, clock, wake)));
  }

  /** Writes the cached data of disks that are devices. */
  void writeDevices() throws LinuxException {
    for (WatchedMachine one : watched.values()) {
      for (Disk disk : one.vm().spec().disks()) {
        if (disk.image() instanceof Attachment.BlockDevice device) {
          write(device.path());
        }
      }
    }
  }

  private static void write(Path device) throws LinuxException {
    try (Fd file = Fd.open(device, Set.of(), 0)) {
      file.fsync();
    } catch (LinuxException e) {
      // The machine has ended and its device is gone: nothing more is written to it.
      if (e.errno() != LinuxException.ENOENT && e.errno() != LinuxException.ENXIO) {
        throw e;
      }
    }
  }

  /** Returns whether some hypervisor lets a full disk reach its guest. */
  boolean anyUnstoppable() {
    return watched.values().stream().anyMatch(WatchedMachine::isUnstoppable);
  }

  /**
   * Pauses machines that run, for a moment, beside one another. Waits for them, but not long for
   * one that does not answer; that one is paused when it does.
   *
   * @param all whether also those whose hypervisor stops them
   */
  void stop(boolean all) {
    List<WatchedMachine> chosen =
        watched.values().stream().filter(one -> all || one.isUnstoppable()).toList();
    List<MachineCalls> calls = chosen.stream().map(WatchedMachine::calls).toList();
    MachineCalls.await(calls); // a question may be under way
    chosen.forEach(WatchedMachine::pause);
    MachineCalls.await(calls);
  }

  /**
   * Makes the pauses last until {@link #release}, and refuses the starts under way.
   *
   * @param full the file system that is nearly full, for people
   * @param all whether also starts of machines that their hypervisor stops
   */
  void extend(String full, boolean all) {
    watched.values().forEach(one -> one.extend(full));
    for (StartGate.Start start : gate.running()) {
      WatchedMachine one = watched.get(start.vm());
      if (one != null && (all || one.isUnstoppable())) {
        one.refuse(start, full);
      }
    }
  }

  /** Resumes the machines that {@link #stop} paused. */
  void release() {
    watched.values().forEach(WatchedMachine::release);
  }

  /** Lets machines go on that their hypervisor has stopped, and reports all changes. */
  void follow(boolean room) {
    for (WatchedMachine one : watched.values()) {
      one.follow(room);
      report(one);
      one.calls().show();
    }
  }

  private void report(WatchedMachine one) {
    LiveSandbox live = one.live();
    // Nobody knows yet a sandbox whose first machine is being started.
    @Nullable Standstill still = live.machine() == one.vm() ? live.standstill() : null;
    Standstill before = reported.get(one.vm());
    if (still == null) {
      if (before != null) {
        reported.remove(one.vm());
        LOG.log(INFO, "sandbox {0} goes on", live.id());
      }
    } else if (before == null || before.cause() != still.cause()) {
      reported.put(one.vm(), still);
      stops.increment(Registry.label(still.cause()), one.isHeld() ? "host" : "hypervisor");
      RametException error = still.error(live.id());
      LOG.log(
          WARNING, "{0}; {1}", error.getMessage(), Objects.requireNonNullElse(error.remedy(), ""));
    }
  }
}
