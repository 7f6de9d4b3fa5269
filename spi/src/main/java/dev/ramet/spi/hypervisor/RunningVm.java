// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

import dev.ramet.spi.memory.GuestMemory;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** A machine that executes. Thread-safe. */
public interface RunningVm {
  /** What it was started with. */
  VmSpec spec();

  /** What a saved state of it will depend on. */
  VmIdentity identity();

  /** The hypervisor's process. */
  long pid();

  /** Stops all virtual CPUs and waits for disk requests under way. */
  PausedVm pause();

  /**
   * Stops it like {@link #pause} and begins to write the state of everything but main memory into
   * {@code directory}. Returns as soon as it has stopped. One call, so that a hypervisor goes from
   * one to the other without a turn to the host.
   */
  SavingVm pauseAndSave(Path directory);

  /** Where its memory is mapped now. */
  GuestMemory memory();

  /** The host address that reaches TCP port {@code guestPort} of the guest; made when absent. */
  InetSocketAddress forward(int guestPort);

  /** Completes as soon as the machine has ended, for whatever reason. */
  CompletionStage<VmExit> exit();

  /** Ends the machine at once and waits for its process to be gone. Idempotent. */
  void kill(Duration timeout);
}
