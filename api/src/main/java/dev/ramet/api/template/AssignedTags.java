// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.template;

import java.util.List;

/**
 * What {@code POST /templates/tags} answers. Immutable and thread-safe as far as its list is.
 *
 * @param buildID id of the version that has the tags now
 * @param tags those that it was to get
 */
public record AssignedTags(String buildID, List<String> tags) {}
