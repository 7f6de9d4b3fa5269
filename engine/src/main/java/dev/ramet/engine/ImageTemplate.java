// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A request to make a template of a container image.
 *
 * @param name the template's name, with a tag behind a colon or without
 * @param image absolute path on the host of an OCI layout, as a directory or tar archive, or of
 *     what {@code docker save} wrote
 * @param platform which of several platforms, or null for the usual one
 * @param tag which of several images, or null where there is only one
 * @param start a shell command to start in place of the image's own, or null for that
 * @param noStart start nothing
 * @param ready a shell command that succeeds once what was started is ready, or null
 * @param cpuCount virtual CPUs, or null for the usual number
 * @param memoryBytes guest memory, or null for the usual size
 * @param diskBytes virtual size of the disk, or null for the usual size
 */
public record ImageTemplate(
    String name,
    Path image,
    @Nullable String platform,
    @Nullable String tag,
    @Nullable String start,
    boolean noStart,
    @Nullable String ready,
    @Nullable Integer cpuCount,
    @Nullable Long memoryBytes,
    @Nullable Long diskBytes) {}
