// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.guard;

import static java.lang.System.Logger.Level.DEBUG;
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
import dev.ramet.pluginhost.guard.Capability;
import dev.ramet.spi.hypervisor.Disk;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.StopsOnDiskError;
import dev.ramet.spi.storage.Attachment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Follows the machines that their disks have stopped: reports each stop, lets them go on, and stops
 * machines itself before their disks are full. Used by one thread.
 */
final class StoppedMachines {
  private static final System.Logger LOG = System.getLogger(StoppedMachines.class.getName());

  private static final Duration AGAIN = Duration.ofSeconds(1);
  private static final Duration ERROR_AGAIN = Duration.ofSeconds(10);

  private final SandboxStore sandboxes;
  private final Runnable wake;
  private final Counter stops;
  private final Map<LiveSandbox, Watched> watched = new HashMap<>();

  /** A running machine, and what is known of its last stop. */
  private static final class Watched {
    private final RunningVm vm;
    private final @Nullable StopsOnDiskError stops;
    private @Nullable Standstill reported;
    private long triedNanos = System.nanoTime();

    /** Whether it may still be paused because a resume failed. */
    private boolean resume;

    Watched(RunningVm vm) {
      this.vm = vm;
      this.stops = Capability.guarded(vm, StopsOnDiskError.class);
    }
  }

  /**
   * Creates the watch.
   *
   * @param wake called on any thread when a disk may have stopped a machine
   */
  StoppedMachines(SandboxStore sandboxes, Registry metrics, Runnable wake) {
    this.sandboxes = sandboxes;
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

  /** Notices new machines and those that are gone; returns whether the host stops any by itself. */
  void refresh() {
    watched
        .entrySet()
        .removeIf(
            entry -> entry.getKey().machine() != entry.getValue().vm || !runs(entry.getKey()));
    for (LiveSandbox live : sandboxes.all()) {
      RunningVm vm = live.machine();
      if (vm != null && runs(live) && !watched.containsKey(live)) {
        Watched now = new Watched(vm);
        watched.put(live, now);
        StopsOnDiskError stopping = now.stops;
        if (stopping != null) {
          var unused = attempt(live, () -> stopping.onDiskStop(wake));
        }
      }
    }
  }

  private static boolean runs(LiveSandbox live) {
    return live.saved().state() == SandboxRecord.State.RUNNING;
  }

  /** Writes the cached data of disks that are devices. */
  void writeDevices() throws LinuxException {
    for (Watched one : watched.values()) {
      for (Disk disk : one.vm.spec().disks()) {
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
    return watched.values().stream().anyMatch(one -> one.stops == null);
  }

  /**
   * Pauses machines that run, for a moment.
   *
   * @param all whether also those whose hypervisor stops them
   */
  void stop(boolean all) {
    watched.forEach(
        (live, one) -> {
          if ((all || one.stops == null) && !live.standstillSlot().holds(one.vm)) {
            var unused = attempt(live, () -> live.standstillSlot().hold(one.vm, one.vm.pause()));
          }
        });
  }

  /**
   * Makes the pauses last until {@link #release}.
   *
   * @param full the file system that is nearly full, for people
   */
  void extend(String full) {
    watched.forEach((live, one) -> live.standstillSlot().extend(one.vm, full));
  }

  /** Resumes the machines that {@link #stop} paused. */
  void release() {
    watched.forEach(
        (live, one) -> {
          PausedVm pause = live.standstillSlot().take(one.vm);
          if (pause != null) {
            one.triedNanos = System.nanoTime();
            one.resume = !attempt(live, pause::close);
          }
        });
  }

  /** Lets machines go on that their hypervisor has stopped, and reports all changes. */
  void follow(boolean room) {
    watched.forEach(
        (live, one) -> {
          Standstill still = live.standstill();
          boolean held = live.standstillSlot().holds(one.vm);
          report(live, one, still, held);
          StopsOnDiskError stopping = one.stops;
          if (one.resume && !held) {
            resume(live, one);
          } else if (still != null && stopping != null && !held && due(one, still, room)) {
            goOn(live, one, still, stopping);
          }
        });
  }

  /** Tries again to resume a machine, unless an operation holds the sandbox: that may pause it. */
  private static void resume(LiveSandbox live, Watched one) {
    StopsOnDiskError stopping = one.stops;
    one.resume =
        !attempt(
            live,
            () -> {
              try (LiveSandbox.Hold hold = live.acquire("go on after a failed resume")) {
                if (live.machine() != one.vm) {
                  return;
                }
                if (stopping != null) {
                  stopping.goOn();
                } else {
                  one.vm.pause().close();
                }
              }
            });
  }

  private static boolean due(Watched one, Standstill still, boolean room) {
    Duration pause = still.cause() == Standstill.Cause.NO_SPACE && room ? AGAIN : ERROR_AGAIN;
    return System.nanoTime() - one.triedNanos >= pause.toNanos();
  }

  private static void goOn(
      LiveSandbox live, Watched one, Standstill still, StopsOnDiskError stopping) {
    try (LiveSandbox.Hold hold = live.acquire("go on after a full disk")) {
      one.triedNanos = System.nanoTime();
      live.standstillSlot().begin(one.vm, still);
      stopping.goOn();
    } catch (RuntimeException e) {
      LOG.log(DEBUG, "cannot let {0} go on yet: {1}", live.id(), e.getMessage());
    }
  }

  private void report(LiveSandbox live, Watched one, @Nullable Standstill still, boolean held) {
    Standstill before = one.reported;
    if (still == null) {
      if (before != null) {
        one.reported = null;
        LOG.log(INFO, "sandbox {0} goes on", live.id());
      }
    } else if (before == null || before.cause() != still.cause()) {
      one.reported = still;
      stops.increment(Registry.label(still.cause()), held ? "host" : "hypervisor");
      RametException error = still.error(live.id());
      LOG.log(
          WARNING, "{0}; {1}", error.getMessage(), Objects.requireNonNullElse(error.remedy(), ""));
    }
  }

  /**
   * Does something to a machine that may be paused by somebody or end at any time; returns whether
   * that succeeded.
   */
  private static boolean attempt(LiveSandbox live, Runnable action) {
    try {
      action.run();
      return true;
    } catch (RuntimeException e) {
      // Tried again at the next turn, if the machine still runs.
      LOG.log(DEBUG, "{0}: {1}", live.id(), e.getMessage());
      return false;
    }
  }
}
