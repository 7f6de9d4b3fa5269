// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.template;

import java.util.List;

/**
 * The response of {@code POST /templates/tags}. Immutable and thread-safe if its list is.
 *
 * @param buildID id of the version that has the tags now
 * @param tags the assigned tags
 */
public record AssignedTags(String buildID, List<String> tags) {}
