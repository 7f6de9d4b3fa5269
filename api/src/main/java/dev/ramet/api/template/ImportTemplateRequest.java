// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.template;

import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /templates/import}. Paths are absolute and on the host, in one of its
 * {@code ramet.exchange-directories} if those are set. Immutable and thread-safe.
 *
 * @param name the template's name, {@code [A-Za-z0-9._-]{1,64}}, optionally followed by a colon and
 *     a tag of the same form; required
 * @param kernel a Linux kernel; required
 * @param rootfs a raw disk image; required
 * @param initrd an initial ram disk, or null for none
 * @param kernelArguments the kernel command line, or null for a default that suits one virtio disk
 * @param cpuCount virtual CPUs, 1 to 32; null for 1
 * @param memoryMB guest memory in MiB, at least 64 and no more than the host has; null for 512
 * @param cold whether to skip the boot and capture, so that its sandboxes boot from the kernel;
 *     null for false
 */
public record ImportTemplateRequest(
    @Nullable String name,
    @Nullable String kernel,
    @Nullable String rootfs,
    @Nullable String initrd,
    @Nullable String kernelArguments,
    @Nullable Integer cpuCount,
    @Nullable Integer memoryMB,
    @Nullable Boolean cold) {}
