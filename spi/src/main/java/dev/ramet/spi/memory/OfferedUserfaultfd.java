// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.memory;

/**
 * A userfaultfd (userfaultfd(2)) of a machine's memory that its hypervisor handed to this process.
 * It has the features of write protection for all regions, none of which it protects yet.
 *
 * @param descriptor a file descriptor of this process. The driver owns and closes it; whoever keeps
 *     it longer than the machine lives duplicates it
 */
public record OfferedUserfaultfd(int descriptor) {}
