// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

import java.util.Optional;

/**
 * A {@link RunningVm} that its hypervisor stops when a read or write of a disk fails on the host.
 * The guest never sees the error: the failed request waits and is repeated when the machine goes
 * on, so that nothing is lost.
 *
 * <p>A stopped machine can still be paused, saved and killed like a running one. A saved state
 * holds the waiting request; a machine that is restored from it repeats the request when it is
 * resumed. Resuming a paused machine also repeats the request. {@link Hypervisor#reattach} leaves a
 * machine stopped that it finds stopped by a disk. Thread-safe.
 */
public interface StopsOnDiskError {
  /**
   * The reason for which a disk has stopped a machine.
   *
   * @param cause the kind of error
   * @param detail the error as the hypervisor saw it, for people
   */
  record DiskStop(Cause cause, String detail) {}

  /** The kinds of errors. Later versions may add kinds. */
  enum Cause {
    /** A write found no room on the host (ENOSPC). */
    NO_SPACE,
    /** Any other error of a read or write. */
    DISK_ERROR
  }

  /**
   * Returns why a disk has stopped the machine; empty while it runs, and after it has ended.
   * Answers from what the driver already knows, so that it can be called often.
   *
   * @throws dev.ramet.errors.RametException {@code HYPERVISOR_FAILED}, {@code DEADLINE_EXCEEDED}
   */
  Optional<DiskStop> diskStop();

  /**
   * Calls {@code listener} each time a disk stops the machine, and soon after this call if it is
   * stopped already. The listener is called on a thread of the driver: it must not block, and must
   * not call the machine. It replaces the previous one.
   */
  void onDiskStop(Runnable listener);

  /**
   * Lets a stopped machine go on, which repeats the failed request. If that fails again, the
   * machine is stopped again. Does nothing while the machine runs.
   *
   * @throws dev.ramet.errors.RametException {@code CONFLICT} while the machine is paused, {@code
   *     HYPERVISOR_FAILED}, {@code DEADLINE_EXCEEDED}
   */
  void goOn();
}
