// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.hypervisor;

import dev.ramet.spi.hypervisor.HypervisorProvider;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.GuestMemory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the kit needs to know of a hypervisor to test its driver. Used by one check at a time, but
 * by several threads of it. The methods with a body fit drivers whose machines are processes of
 * this host.
 */
public interface HypervisorHarness {
  /** The provider under test. It is opened several times, as by hosts one after the other. */
  HypervisorProvider provider();

  /**
   * A small machine whose guest counts in its memory as long as it runs, from its first moments on.
   *
   * @param name its label
   * @param directory where it is to run; made by the caller
   */
  VmSpec spec(String name, Path directory) throws IOException;

  /**
   * How far the guest has counted: a number that grows as long as the machine runs, that stands
   * still while it is paused, and that is part of its memory.
   */
  long count(RunningVm vm) throws IOException;

  /**
   * Has a machine's guest write to its first disk and returns once it has. Needed where the probe
   * states {@code disk-write-log}; there the machine has a disk that may be written.
   *
   * @param offset a multiple of 64 KiB, in the first MiB
   * @param lengthBytes a multiple of 4096
   * @return whether the harness can do that
   */
  default boolean writeDisk(RunningVm vm, long offset, int lengthBytes) throws IOException {
    return false;
  }

  /**
   * What the guest's root reads as the machine's secret, see {@link VmSpec#secret}. Asked where the
   * probe states {@code guest-secret}.
   *
   * @return null when this guest cannot tell
   */
  default @Nullable String secret(RunningVm vm) throws IOException {
    return null;
  }

  /** Copies main memory into a new file, as a capture of all of it does. The machine is paused. */
  default void copyMemory(GuestMemory memory, Path image) throws IOException {
    MachineProcesses.copyMemory(memory, image);
  }

  /** The processes that work for machines in {@code directory} or below it. */
  default Set<Long> processes(Path directory) throws IOException {
    return MachineProcesses.below(directory);
  }

  /** Ends a machine's process as the kernel does when memory is short; does not wait. */
  default void kill(long pid) {
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
  }

  /** How long something may take that takes moments where nothing else is going on. */
  default Duration patience() {
    return Duration.ofSeconds(20);
  }

  /**
   * Files that the driver leaves in a machine's directory when it has ended, for people to read.
   * All others are to be gone.
   */
  default Set<String> logs() {
    return Set.of();
  }
}
