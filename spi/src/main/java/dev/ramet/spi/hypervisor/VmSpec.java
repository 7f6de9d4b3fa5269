// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

import dev.ramet.spi.storage.Attachment;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The specification of a machine to start.
 *
 * @param name a label for process lists and logs
 * @param directory an existing directory for its sockets and logs, not used by another machine
 * @param cpuCount number of virtual CPUs
 * @param memoryBytes guest memory, a multiple of 1 MiB
 * @param kernel the kernel image
 * @param initrd the initial RAM disk, or null
 * @param kernelArguments the kernel command line
 * @param disks virtual disks in the order the guest sees them
 * @param network the guest's network
 * @param secret a secret that only root in the guest can read, also after a reboot of the guest. It
 *     is on no command line, neither the guest kernel's nor that of a host process. A restored
 *     machine has the secret of its own specification, not that of the saved machine. Null for
 *     none, and always null unless the probe states {@link HypervisorFeature#GUEST_SECRET}
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

  /** Creates a specification without a secret. */
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

  /** Returns a copy of this specification with another secret. */
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
   * User-mode networking: the guest's ports are forwarded from a loopback address that belongs to
   * this machine alone. If another process uses an address to be forwarded, starting the machine
   * and {@link RunningVm#forward} throw {@code CONFLICT}; another host address may then succeed.
   *
   * @param hostAddress the loopback address, for example {@code 127.80.3.7}
   * @param guestPorts ports forwarded from the start; {@link RunningVm#forward} adds others
   * @param outbound whether the guest may open connections; that includes the host's own loopback
   */
  public record Network(String hostAddress, List<Integer> guestPorts, boolean outbound) {
    /** Copies the list. */
    public Network {
      guestPorts = List.copyOf(guestPorts);
    }
  }
}
