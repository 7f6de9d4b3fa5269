// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.memory;

import java.util.List;

/**
 * The place of a VM's memory in the address space of its hypervisor's process.
 *
 * @param pid the process
 * @param imageSizeBytes the size of the memory image, which holds all regions
 * @param regions the mappings, sorted by image offset, without overlap
 * @param discards whether the hypervisor may ever return pages to the kernel or map other memory in
 *     their place: with a balloon, with free-page reporting, or with memory that can be unplugged.
 *     False is a promise for the life of the process, which modes rely on; it says nothing about
 *     what the host does by itself, such as swapping
 */
public record GuestMemory(
    long pid, long imageSizeBytes, List<MemoryRegion> regions, boolean discards) {
  /** Copies the list. */
  public GuestMemory {
    regions = List.copyOf(regions);
  }

  /** Creates a description of memory that may be discarded. */
  public GuestMemory(long pid, long imageSizeBytes, List<MemoryRegion> regions) {
    this(pid, imageSizeBytes, regions, true);
  }
}
