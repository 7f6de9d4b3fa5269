// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.memory;

import java.util.List;

/**
 * Where a VM's memory is in the address space of its hypervisor's process.
 *
 * @param pid the process
 * @param imageSizeBytes the size of the memory image: where all regions together fit
 * @param regions the mappings, sorted by image offset, without overlap
 */
public record GuestMemory(long pid, long imageSizeBytes, List<MemoryRegion> regions) {
  /** Copies the list. */
  public GuestMemory {
    regions = List.copyOf(regions);
  }
}
