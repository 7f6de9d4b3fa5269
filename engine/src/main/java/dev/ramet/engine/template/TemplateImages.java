// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.template;

import dev.ramet.engine.support.TaggedName;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The images of a template and its properties.
 *
 * @param version the template's name and tags
 * @param files the image files
 * @param kernelArguments the kernel command line
 * @param cpuCount virtual CPUs
 * @param memoryBytes guest memory
 * @param agentPort the agent's port, or null if there is none
 * @param contentKey key of the content, or null
 * @param starts whether the agent starts a command that must be ready before the capture
 */
record TemplateImages(
    TaggedName version,
    Files files,
    String kernelArguments,
    int cpuCount,
    long memoryBytes,
    @Nullable Integer agentPort,
    @Nullable String contentKey,
    boolean starts) {
  /**
   * The image files of a template.
   *
   * @param kernel the kernel
   * @param initrd the initial ram disk, or null
   * @param rootfs a raw disk image
   */
  record Files(Path kernel, @Nullable Path initrd, Path rootfs) {}

  /** Returns this part of {@link #files}. */
  Path kernel() {
    return files.kernel();
  }

  /** Returns this part of {@link #files}. */
  @Nullable Path initrd() {
    return files.initrd();
  }

  /** Returns this part of {@link #files}. */
  Path rootfs() {
    return files.rootfs();
  }
}
