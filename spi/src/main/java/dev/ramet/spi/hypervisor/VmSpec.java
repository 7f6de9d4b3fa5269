// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

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
 * @param boot the code that it boots
 * @param disks virtual disks in the order the guest sees them, with different names
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
    Boot boot,
    List<Disk> disks,
    NetworkPlan network,
    @Nullable GuestSecret secret) {
  /** Copies the list. */
  public VmSpec {
    disks = List.copyOf(disks);
  }

  /** Returns a copy of this specification with another size. */
  public VmSpec sized(int newCpuCount, long newMemoryBytes) {
    return new VmSpec(name, directory, newCpuCount, newMemoryBytes, boot, disks, network, secret);
  }

  /** Returns a copy of this specification that boots something else. */
  public VmSpec with(Boot newBoot) {
    return new VmSpec(name, directory, cpuCount, memoryBytes, newBoot, disks, network, secret);
  }

  /** Returns a copy of this specification with other disks. */
  public VmSpec with(List<Disk> newDisks) {
    return new VmSpec(name, directory, cpuCount, memoryBytes, boot, newDisks, network, secret);
  }

  /** Returns a copy of this specification with another network. */
  public VmSpec with(NetworkPlan newNetwork) {
    return new VmSpec(name, directory, cpuCount, memoryBytes, boot, disks, newNetwork, secret);
  }

  /** Returns a copy of this specification with another secret. */
  public VmSpec with(@Nullable GuestSecret newSecret) {
    return new VmSpec(name, directory, cpuCount, memoryBytes, boot, disks, network, newSecret);
  }

  /** Returns a copy of this specification in another directory. */
  public VmSpec in(Path newDirectory) {
    return new VmSpec(name, newDirectory, cpuCount, memoryBytes, boot, disks, network, secret);
  }
}
