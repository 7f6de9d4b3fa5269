// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Starts virtual machines, each as a process of its own that outlives this one.
 *
 * <p>Thread-safe; calls block. A call that fails ends every process it started. All calls throw
 * {@link dev.ramet.errors.RametException}: {@code HYPERVISOR_FAILED} with the last lines of the
 * process's log, {@code DEADLINE_EXCEEDED}, {@code HOST_UNFIT} when the program is missing, {@code
 * UNSUPPORTED} when a saved state does not fit this hypervisor.
 */
public interface Hypervisor extends AutoCloseable {
  /** Starts a machine from its kernel, with empty memory. */
  RunningVm boot(VmSpec spec, Duration timeout);

  /**
   * Starts a machine from saved devices and a memory image, and stops before its first instruction.
   * The image is mapped privately: it is never written.
   */
  PausedVm restore(VmSpec spec, SavedVm saved, Duration timeout);

  /**
   * Finds the machine that an earlier process of this host started with {@code spec}. Empty when it
   * does not run any more. A machine found paused is resumed.
   */
  Optional<RunningVm> reattach(VmSpec spec, Duration timeout);

  /**
   * Ends whatever process of this hypervisor works in {@code directory} or below it, known or not.
   * None is a success.
   */
  void reap(Path directory);

  /** Gives up what the driver holds; machines run on. Idempotent. */
  @Override
  void close();
}
