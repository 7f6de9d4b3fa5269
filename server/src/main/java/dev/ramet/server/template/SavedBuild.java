// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.template;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The persistent state of a build: everything except the output of its commands. Immutable.
 *
 * @param templateID id of the template to create
 * @param buildID its id
 * @param name that template's name
 * @param tags the tags that distinguish it from others of that name
 * @param cpuCount virtual CPUs, or null for those of its source
 * @param memoryBytes guest memory, or null for that of its source
 * @param status as in {@link BuildStatus}
 * @param reason why it failed, or null
 */
record SavedBuild(
    String templateID,
    String buildID,
    String name,
    List<String> tags,
    @Nullable Integer cpuCount,
    @Nullable Long memoryBytes,
    String status,
    BuildStatus.@Nullable Reason reason) {}
