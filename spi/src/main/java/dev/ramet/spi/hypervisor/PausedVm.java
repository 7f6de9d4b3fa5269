// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

import dev.ramet.spi.memory.GuestMemory;
import java.nio.file.Path;

/**
 * A paused machine. {@link #close} resumes it, so that no path out of a capture leaves a machine
 * paused. Used by one thread.
 */
public interface PausedVm extends AutoCloseable {
  /** Returns the process id of the hypervisor. */
  long pid();

  /**
   * Returns the place that everything the guest sends passes through, as of the running machine.
   */
  EgressPoint egress();

  /** Writes the device state, which is everything but main memory, into {@code directory}. */
  void saveDevices(Path directory);

  /** Returns where the machine's memory is mapped now. */
  GuestMemory memory();

  /** Resumes the machine. A second call returns the same machine. */
  RunningVm resume();

  /** Ends the machine instead of resuming it. */
  void kill();

  /** Resumes the machine unless {@link #resume} or {@link #kill} was called. Idempotent. */
  @Override
  void close();
}
