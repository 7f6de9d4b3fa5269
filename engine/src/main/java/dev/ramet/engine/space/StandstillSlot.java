// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.space;

import dev.ramet.engine.sandboxes.Standstill;
import dev.ramet.errors.RametException;
import dev.ramet.files.DiskFullErrors;
import dev.ramet.linux.file.FullFileSystem;
import dev.ramet.pluginhost.guard.Capability;
import dev.ramet.spi.hypervisor.Disk;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.StopsOnDiskError;
import dev.ramet.spi.hypervisor.StopsOnDiskError.DiskStop;
import dev.ramet.spi.storage.Attachment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Knows whether a sandbox's machine stands still because of its disk, and holds the pause of one
 * that the host has stopped. Thread-safe.
 */
public final class StandstillSlot {
  private static final System.Logger LOG = System.getLogger(StandstillSlot.class.getName());
  private static final String GOES_ON = "; the sandbox goes on by itself when there is room";

  /** A machine that runs this long after it was let go on has found room. */
  private static final long SETTLED_NANOS = 500_000_000;

  private @Nullable Held held;
  private @Nullable Trial trial;

  /** A machine that the host has paused, and why; null if only for a moment. */
  private record Held(RunningVm vm, PausedVm pause, @Nullable Standstill why) {}

  /** An attempt to let a machine go on, and what had stopped it. */
  private record Trial(RunningVm vm, Standstill why, long nanos) {}

  /** Keeps the pause of a machine that the host has stopped for a moment. */
  public synchronized void hold(RunningVm vm, PausedVm pause) {
    held = new Held(vm, pause, null);
  }

  /**
   * Makes the pause that {@link #hold} keeps last until there is room.
   *
   * @param full the file system that is nearly full, for people
   */
  public synchronized void extend(RunningVm vm, String full) {
    Held had = held;
    if (had != null && had.vm() == vm && had.why() == null) {
      held =
          new Held(vm, had.pause(), new Standstill(Standstill.Cause.NO_SPACE, full, remedy(false)));
    }
  }

  /** Returns whether the host has paused this machine. */
  public synchronized boolean holds(@Nullable RunningVm vm) {
    return held != null && held.vm() == vm;
  }

  /** Hands the pause of this machine over to its caller, who ends it; null if there is none. */
  public synchronized @Nullable PausedVm take(@Nullable RunningVm vm) {
    Held had = held;
    if (had == null || had.vm() != vm) {
      return null;
    }
    held = null;
    return had.pause();
  }

  /**
   * Notes that a machine is about to be let go on. Until it has run for a while, it still counts as
   * standing still: it mostly stops again at once.
   */
  public synchronized void begin(RunningVm vm, Standstill why) {
    trial = new Trial(vm, why, System.nanoTime());
  }

  private synchronized @Nullable Standstill tried(RunningVm vm) {
    Trial last = trial;
    return last != null && last.vm() == vm && System.nanoTime() - last.nanos() < SETTLED_NANOS
        ? last.why()
        : null;
  }

  /** Returns why the machine stands still, or null if it does not. */
  public @Nullable Standstill of(RunningVm vm) {
    synchronized (this) {
      if (held != null && held.vm() == vm && held.why() != null) {
        return held.why();
      }
    }
    StopsOnDiskError stops = Capability.guarded(vm, StopsOnDiskError.class);
    if (stops == null) {
      return null;
    }
    try {
      Standstill now = stops.diskStop().map(stop -> standstill(stop, vm)).orElse(null);
      return now == null ? tried(vm) : now;
    } catch (RametException e) {
      // A machine that has just ended; its exit is reported separately.
      LOG.log(System.Logger.Level.DEBUG, "cannot ask {0}", vm.spec().name());
      return null;
    }
  }

  private static Standstill standstill(DiskStop stop, RunningVm vm) {
    List<Disk> disks = vm.spec().disks();
    boolean file = !disks.isEmpty() && disks.get(0).image() instanceof Attachment.LocalFile;
    if (stop.cause() == StopsOnDiskError.Cause.NO_SPACE) {
      FullFileSystem full = file ? FullFileSystem.findAt(disks.get(0).image().path()) : null;
      return new Standstill(
          Standstill.Cause.NO_SPACE,
          full == null ? stop.detail() : "no space left on " + full.describe(),
          remedy(full != null && full.isContaining()));
    }
    return new Standstill(
        Standstill.Cause.DISK_ERROR,
        stop.detail() + (file ? ": " + disks.get(0).image().path() : ""),
        "see the kernel's log and repair the disk, and the request is repeated; or roll the sandbox"
            + " back to a snapshot");
  }

  private static String remedy(boolean around) {
    return DiskFullErrors.remedy(around) + GOES_ON;
  }
}
