// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.template;

import dev.ramet.engine.support.TaggedName;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The images of a template and its properties.
 *
 * @param version the template's name and tags
 * @param kernel the kernel
 * @param initrd the initial ram disk, or null
 * @param rootfs a raw disk image
 * @param kernelArguments the kernel command line
 * @param cpuCount virtual CPUs
 * @param memoryBytes guest memory
 * @param agentPort the agent's port, or null if there is none
 * @param contentKey key of the content, or null
 * @param starts whether the agent starts a command that must be ready before the capture
 */
record TemplateImages(
    TaggedName version,
    Path kernel,
    @Nullable Path initrd,
    Path rootfs,
    String kernelArguments,
    int cpuCount,
    long memoryBytes,
    @Nullable Integer agentPort,
    @Nullable String contentKey,
    boolean starts) {}
