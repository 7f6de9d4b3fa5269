// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Starts virtual machines, each in its own process, which outlives this one.
 *
 * <p>Thread-safe; calls block. A call that fails ends every process it started. All calls throw
 * {@link dev.ramet.errors.RametException}: {@code HYPERVISOR_FAILED} with the last lines of the
 * process's log, {@code DEADLINE_EXCEEDED}, {@code HOST_UNFIT} if the program is missing, {@code
 * UNSUPPORTED} if a saved state does not fit this hypervisor.
 */
public interface Hypervisor extends AutoCloseable {
  /** Boots a machine from its kernel, with empty memory. */
  RunningVm boot(VmSpec spec, Duration timeout);

  /**
   * Starts a machine from a saved device state and its memory, paused before its first instruction.
   * An image is mapped privately and is never written; a fault handler is asked for the pages that
   * are touched, and no others. A driver that states {@link HypervisorFacts.Restores#samePaths}
   * throws {@code CORRUPT} if a disk's link is missing or leads to a disk of another size than the
   * saved machine's.
   */
  PausedVm restore(VmSpec spec, SavedVm saved, Duration timeout);

  /**
   * Finds the machine that an earlier process of this host started with {@code spec}. Returns empty
   * if it is no longer running. Resumes a machine that it finds paused.
   */
  Optional<RunningVm> reattach(VmSpec spec, Duration timeout);

  /**
   * Ends every process of this hypervisor that works in or below {@code directory}, whether or not
   * this driver started it. Finding none is a success.
   */
  void reap(Path directory);

  /** Releases the driver's resources; machines continue to run. Idempotent. */
  @Override
  void close();
}
