// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.templates;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A request to build a template from a container image.
 *
 * @param name the template's name, optionally followed by a colon and a tag
 * @param image absolute path on the host of an OCI layout (a directory or tar archive) or of the
 *     output of {@code docker save}
 * @param platform the platform to take from a multi-platform image, or null for the default one
 * @param tag the image to take from several, or null when there is only one
 * @param start a shell command to start instead of the image's own, or null for the image's own
 * @param noStart whether to start nothing
 * @param ready a shell command that succeeds once the started command is ready, or null
 * @param cpuCount virtual CPUs, or null for the default
 * @param memoryBytes guest memory, or null for the default
 * @param diskBytes virtual size of the disk, or null for the default
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
