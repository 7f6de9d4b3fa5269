// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.space;

import dev.ramet.engine.sandboxes.Standstill;
import dev.ramet.files.DiskFullErrors;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import org.jspecify.annotations.Nullable;

/**
 * Holds the last known state of a sandbox's machine: whether it stands still because of its disk,
 * whether its hypervisor answers, and the pause of one that the host has stopped. It never calls
 * the machine, so that looking at it takes no time. Thread-safe.
 */
public final class StandstillSlot {
  private static final String GOES_ON = "; the sandbox goes on by itself when there is room";

  private @Nullable Held held;
  private @Nullable Seen seen;
  private @Nullable Silence silence;

  /** A machine that the host has paused, and why; null if only for a moment. */
  private record Held(RunningVm vm, PausedVm pause, @Nullable Standstill why) {}

  /** The reason for which a machine stood still when it was last asked. */
  private record Seen(RunningVm vm, Standstill why) {}

  /** A machine whose hypervisor does not answer, and the description of that for people. */
  private record Silence(RunningVm vm, String detail) {}

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

  /** Notes why a machine stands still, or null if it does not. */
  public synchronized void note(RunningVm vm, @Nullable Standstill why) {
    if (why != null) {
      seen = new Seen(vm, why);
    } else if (seen != null && seen.vm() == vm) {
      seen = null;
    }
  }

  /**
   * Notes that the hypervisor of a machine does not answer.
   *
   * @param detail since when, for people; null if it answers
   */
  public synchronized void noteSilence(RunningVm vm, @Nullable String detail) {
    if (detail != null) {
      silence = new Silence(vm, detail);
    } else if (silence != null && silence.vm() == vm) {
      silence = null;
    }
  }

  /** Returns why the machine stands still as far as is known, or null if it does not. */
  public synchronized @Nullable Standstill of(RunningVm vm) {
    if (held != null && held.vm() == vm && held.why() != null) {
      return held.why();
    }
    return seen != null && seen.vm() == vm ? seen.why() : null;
  }

  /** Returns since when the machine's hypervisor does not answer, or null if it does. */
  public synchronized @Nullable String silence(@Nullable RunningVm vm) {
    return silence != null && silence.vm() == vm ? silence.detail() : null;
  }

  /**
   * Returns what to do about a full file system, for people.
   *
   * @param around whether it is the one around the image file of another
   */
  public static String remedy(boolean around) {
    return DiskFullErrors.remedy(around) + GOES_ON;
  }
}
