// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.templates;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A request to make a template from an operator's own kernel and disk image.
 *
 * @param name the template's name, optionally followed by a colon and a tag
 * @param kernel absolute path of a Linux kernel on the host
 * @param rootfs absolute path of a raw disk image on the host
 * @param initrd absolute path of an initial RAM disk on the host, or null
 * @param kernelArguments the kernel command line, or null for a default that suits one virtio disk
 * @param cpuCount virtual CPUs
 * @param memoryBytes guest memory
 * @param cold whether to skip booting and capturing it now: its sandboxes then boot from the
 *     kernel, and the image needs no agent
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
