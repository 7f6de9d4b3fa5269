// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.template;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /templates/tags}. Immutable and thread-safe if its list is.
 *
 * @param target the version of a template that gets the tags: an id, {@code name} for its version
 *     tagged {@code default}, or {@code name:tag}; required
 * @param tags 1 to 1000 of {@code [A-Za-z0-9._-]{1,64}}; required
 */
public record AssignTags(@Nullable String target, @Nullable List<String> tags) {}
