// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.hypervisor;

import dev.ramet.spi.hypervisor.HypervisorProvider;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemorySource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Gives the kit what it needs to test a hypervisor driver. Used by one check at a time, but by
 * several threads of it. The default methods fit drivers whose machines are processes of this host.
 */
public interface HypervisorHarness {
  /** Returns the provider under test. It is opened several times, as by one host after another. */
  HypervisorProvider provider();

  /**
   * Returns the specification of a small machine whose guest counts in its memory as long as it
   * runs, from its first moments on.
   *
   * @param name its label
   * @param directory where it runs; the caller creates it
   */
  VmSpec spec(String name, Path directory) throws IOException;

  /**
   * Returns the guest's counter: a number that grows as long as the machine runs, does not change
   * while it is paused, and is part of its memory.
   */
  long count(RunningVm vm) throws IOException;

  /**
   * Makes the guest write to its first disk and returns once it has. Needed if the probe states
   * {@code disk-write-log}; the machine then has a writable disk.
   *
   * @param offset a multiple of 64 KiB, in the first MiB
   * @param lengthBytes a multiple of 4096
   * @return whether the harness supports this
   */
  default boolean writeDisk(RunningVm vm, long offset, int lengthBytes) throws IOException {
    return false;
  }

  /**
   * Returns the machine's secret as the guest's root reads it, see {@link VmSpec#secret}. Called if
   * the probe states {@code guest-secret}.
   *
   * @return null if this guest cannot report it
   */
  default @Nullable String secret(RunningVm vm) throws IOException {
    return null;
  }

  /**
   * Returns the generation id that a restored machine's guest sees, see {@link
   * dev.ramet.spi.hypervisor.HypervisorFacts.Restores#newGenerationId}.
   *
   * @return null if this guest cannot report it
   */
  default @Nullable String generationId(RunningVm vm) throws IOException {
    return null;
  }

  /** Copies main memory into a new file, as a full capture does. The machine is paused. */
  default void copyMemory(GuestMemory memory, Path image) throws IOException {
    MachineProcesses.copyMemory(memory, image);
  }

  /**
   * Serves a memory image through a fault handler. Called if the probe states {@code
   * fault-handler}.
   *
   * @param image the image, which stays unchanged until the harness is closed
   * @param touched receives the image offset of each page that the handler fills; thread-safe
   * @return null if the harness cannot
   */
  default MemorySource.@Nullable FaultHandler serve(Path image, List<Long> touched)
      throws IOException {
    return null;
  }

  /** Returns the processes that work for machines in or below {@code directory}. */
  default Set<Long> processes(Path directory) throws IOException {
    return MachineProcesses.below(directory);
  }

  /** Kills a machine's process as the kernel's OOM killer does; does not wait. */
  default void kill(long pid) {
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
  }

  /** Returns the timeout for operations that take moments on an idle host. */
  default Duration patience() {
    return Duration.ofSeconds(20);
  }

  /**
   * Returns the files that the driver leaves in a machine's directory after its end, for people to
   * read. All other files must be gone.
   */
  default Set<String> logs() {
    return Set.of();
  }
}
