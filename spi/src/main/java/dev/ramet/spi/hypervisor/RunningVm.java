// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

import dev.ramet.spi.memory.GuestMemory;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** A running machine. Thread-safe. */
public interface RunningVm {
  /** Returns the specification it was started with. */
  VmSpec spec();

  /** Returns what a saved state of this machine will depend on. */
  VmIdentity identity();

  /** Returns the process id of the hypervisor. */
  long pid();

  /** Stops all virtual CPUs and waits for disk requests in flight. */
  PausedVm pause();

  /**
   * Pauses the machine like {@link #pause} and begins to write the device state, which is
   * everything but main memory, into {@code directory}. Returns as soon as the machine is paused.
   * It is one call so that a hypervisor can go from pausing to saving without a round trip to the
   * host.
   */
  SavingVm pauseAndSave(Path directory);

  /** Returns where the machine's memory is mapped now. */
  GuestMemory memory();

  /**
   * Returns the host address that reaches TCP port {@code guestPort} of the guest, and makes it do
   * so if it does not yet. The same for each call.
   *
   * @throws dev.ramet.errors.RametException {@code INVALID_ARGUMENT} for a number that is no port,
   *     {@code CONFLICT} as {@link NetworkPlan.User} says, {@code UNSUPPORTED} without a network
   */
  InetSocketAddress endpoint(int guestPort);

  /** Returns the place that everything the guest sends passes through. Always the same. */
  EgressPoint egress();

  /** Returns a stage that completes as soon as the machine has ended, for whatever reason. */
  CompletionStage<VmExit> exit();

  /** Ends the machine at once and waits until its process is gone. Idempotent. */
  void kill(Duration timeout);
}
