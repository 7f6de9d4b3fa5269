// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.memory;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The place of a VM's memory in the address space of its hypervisor's process. Equal as long as
 * nothing is mapped elsewhere: a driver returns the same log and userfaultfd each time.
 *
 * @param pid the process
 * @param imageSizeBytes the size of the memory image, which holds all regions
 * @param regions the mappings, sorted by image offset, without overlap
 * @param discards whether the hypervisor may ever return pages to the kernel or map other memory in
 *     their place: with a balloon, with free-page reporting, or with memory that can be unplugged.
 *     False is a promise for the life of the process, which modes rely on; it says nothing about
 *     what the host does by itself, such as swapping
 * @param dirtyLog the hypervisor's log of written pages; null unless it states {@link
 *     Access#DIRTY_LOG}
 * @param userfaultfd the userfaultfd that the hypervisor offers; null unless it states {@link
 *     Access#OFFERED_USERFAULTFD}
 */
public record GuestMemory(
    long pid,
    long imageSizeBytes,
    List<MemoryRegion> regions,
    boolean discards,
    @Nullable DirtyLog dirtyLog,
    @Nullable OfferedUserfaultfd userfaultfd) {
  /** Copies the list. */
  public GuestMemory {
    regions = List.copyOf(regions);
  }

  /** Creates a description of memory of a hypervisor that offers nothing. */
  public GuestMemory(long pid, long imageSizeBytes, List<MemoryRegion> regions, boolean discards) {
    this(pid, imageSizeBytes, regions, discards, null, null);
  }

  /** Creates a description of memory that may be discarded. */
  public GuestMemory(long pid, long imageSizeBytes, List<MemoryRegion> regions) {
    this(pid, imageSizeBytes, regions, true);
  }

  /** Returns this memory with a log. */
  public GuestMemory with(DirtyLog log) {
    return new GuestMemory(pid, imageSizeBytes, regions, discards, log, userfaultfd);
  }
}
