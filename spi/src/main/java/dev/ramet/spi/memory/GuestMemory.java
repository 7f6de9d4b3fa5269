// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.memory;

import java.util.List;

/**
 * Where a VM's memory is in the address space of its hypervisor's process.
 *
 * @param pid the process
 * @param imageSizeBytes the size of the memory image: where all regions together fit
 * @param regions the mappings, sorted by image offset, without overlap
 * @param discards whether the hypervisor may ever give pages back to the kernel, or map other
 *     memory in their place: with a balloon, with free-page reporting, with memory that can be
 *     unplugged. False is a promise for the life of the process, on which modes rely; it says
 *     nothing about what the host does by itself, such as swapping
 */
public record GuestMemory(
    long pid, long imageSizeBytes, List<MemoryRegion> regions, boolean discards) {
  /** Copies the list. */
  public GuestMemory {
    regions = List.copyOf(regions);
  }

  /** Memory about which nothing is promised. */
  public GuestMemory(long pid, long imageSizeBytes, List<MemoryRegion> regions) {
    this(pid, imageSizeBytes, regions, true);
  }
}
