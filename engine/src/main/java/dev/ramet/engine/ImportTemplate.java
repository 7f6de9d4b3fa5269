// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A request to make a template of given images.
 *
 * @param name the template's name, with a tag behind a colon or without
 * @param kernel absolute path of a Linux kernel on the host
 * @param rootfs absolute path of a raw disk image on the host
 * @param initrd absolute path of an initial ram disk on the host, or null
 * @param kernelArguments the kernel command line, or null for a default that suits one virtio disk
 * @param cpuCount virtual CPUs
 * @param memoryBytes guest memory
 * @param cold do not boot and capture it now: its sandboxes boot from the kernel, and it may lack
 *     an agent
 */
public record ImportTemplate(
    String name,
    Path kernel,
    Path rootfs,
    @Nullable Path initrd,
    @Nullable String kernelArguments,
    int cpuCount,
    long memoryBytes,
    boolean cold) {}
