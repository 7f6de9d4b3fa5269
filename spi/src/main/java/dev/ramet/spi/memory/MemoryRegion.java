// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.memory;

/**
 * One mapping of guest memory. All numbers are multiples of the page size.
 *
 * @param imageOffset the offset of its first byte in the memory image
 * @param address the address of its first byte in the process
 * @param lengthBytes its length
 * @param kind what backs it, which decides what an absent page means
 */
public record MemoryRegion(long imageOffset, long address, long lengthBytes, Kind kind) {
  /** The kind of memory that backs a mapping. */
  public enum Kind {
    /** {@code MAP_PRIVATE} of the restore image at the same offset: absent means unchanged. */
    PRIVATE_IMAGE,
    /** Private anonymous memory: absent means zero. */
    ANONYMOUS,
    /** A shared file or memfd: absence says nothing about whether a page changed. */
    SHARED,
    /**
     * Private memory that a {@link MemorySource.FaultHandler} fills: an absent page was not touched
     * since the restore, or was discarded. It is not zero. Its content shows when it is read
     * through the process, as process_vm_readv(2) does, which has it fetched.
     */
    FAULTED
  }
}
