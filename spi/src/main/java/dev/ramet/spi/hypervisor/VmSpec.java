// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

import dev.ramet.spi.storage.Attachment;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A machine to start.
 *
 * @param name a label for process lists and logs
 * @param directory an existing directory for its sockets and logs, not used by another machine
 * @param cpuCount virtual CPUs
 * @param memoryBytes guest memory, a multiple of 1 MiB
 * @param kernel the kernel image
 * @param initrd the initial ram disk, or null
 * @param kernelArguments the kernel command line
 * @param disks virtual disks in the order the guest sees them
 * @param network the guest's network
 * @param secret what the guest's root can read, also after a reboot of the guest, and nobody else:
 *     it is on no command line, neither the guest kernel's nor a process's of the host. A restored
 *     machine has that of its own specification, not the saved one's. Null for none, and wherever
 *     the probe does not state {@link HypervisorCapabilities#GUEST_SECRET}
 */
public record VmSpec(
    String name,
    Path directory,
    int cpuCount,
    long memoryBytes,
    Path kernel,
    @Nullable Path initrd,
    String kernelArguments,
    List<Attachment> disks,
    Network network,
    @Nullable GuestSecret secret) {
  /** Copies the list. */
  public VmSpec {
    disks = List.copyOf(disks);
  }

  /** A machine whose guest gets no secret. */
  public VmSpec(
      String name,
      Path directory,
      int cpuCount,
      long memoryBytes,
      Path kernel,
      @Nullable Path initrd,
      String kernelArguments,
      List<Attachment> disks,
      Network network) {
    this(
        name,
        directory,
        cpuCount,
        memoryBytes,
        kernel,
        initrd,
        kernelArguments,
        disks,
        network,
        null);
  }

  /** The same with another secret. */
  public VmSpec with(@Nullable GuestSecret newSecret) {
    return new VmSpec(
        name,
        directory,
        cpuCount,
        memoryBytes,
        kernel,
        initrd,
        kernelArguments,
        disks,
        network,
        newSecret);
  }

  /**
   * User networking: the guest's ports appear on a loopback address of its own. When another
   * process has an address that is to be forwarded, starting the machine and {@link
   * RunningVm#forward} throw {@code CONFLICT}; another host address may then succeed.
   *
   * @param hostAddress the loopback address, for example {@code 127.80.3.7}
   * @param guestPorts ports forwarded from the start; others are added with {@link
   *     RunningVm#forward}
   * @param outbound whether the guest may open connections; that includes the host's own loopback
   */
  public record Network(String hostAddress, List<Integer> guestPorts, boolean outbound) {
    /** Copies the list. */
    public Network {
      guestPorts = List.copyOf(guestPorts);
    }
  }
}
