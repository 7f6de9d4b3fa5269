// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

import dev.ramet.spi.storage.Attachment;

/**
 * A virtual disk.
 *
 * @param name a file name, the same for all machines that start from one saved state. If the driver
 *     states {@link HypervisorFacts.Restores#samePaths}, {@link VmSpec#directory} has a link of
 *     this name that leads to the image; a hypervisor that records its disks' paths opens this
 *     relative path
 * @param image where its bytes are
 */
public record Disk(String name, Attachment image) {}
