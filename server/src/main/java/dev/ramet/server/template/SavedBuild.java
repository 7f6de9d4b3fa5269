// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.template;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What of a build outlives the host: all but what its commands said. Immutable.
 *
 * @param templateID id of the template to be made
 * @param buildID its id
 * @param name that template's name
 * @param tags the tags that tell it from others of that name
 * @param cpuCount virtual CPUs, or null for those of what it starts from
 * @param memoryBytes guest memory, or null for that of what it starts from
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
