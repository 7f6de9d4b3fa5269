// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

import dev.ramet.spi.memory.GuestMemory;
import java.nio.file.Path;

/**
 * A machine that stands still. {@link #close} lets it run again, so that no path out of a capture
 * leaves a machine paused. Used by one thread.
 */
public interface PausedVm extends AutoCloseable {
  /** The hypervisor's process. */
  long pid();

  /** Writes the state of everything but main memory into {@code directory}. */
  void saveDevices(Path directory);

  /** Where its memory is mapped now. */
  GuestMemory memory();

  /** Lets it run again. A second call answers the same machine. */
  RunningVm resume();

  /** Ends the machine instead of letting it run. */
  void kill();

  /** Resumes unless {@link #resume} or {@link #kill} was called. Idempotent. */
  @Override
  void close();
}
