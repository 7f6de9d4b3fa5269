// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

import dev.ramet.spi.memory.GuestMemory;
import java.net.InetSocketAddress;
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

  /** Where its memory is mapped now. */
  GuestMemory memory();

  /** The host address that reaches TCP port {@code guestPort} of the guest; made when absent. */
  InetSocketAddress forward(int guestPort);

  /** Completes as soon as the machine has ended, for whatever reason. */
  CompletionStage<VmExit> exit();

  /** Ends the machine at once and waits for its process to be gone. Idempotent. */
  void kill(Duration timeout);
}
