// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.template;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code DELETE /templates/tags}. Immutable and thread-safe if its list is.
 *
 * @param name a template's name, or the id of one of its versions; required
 * @param tags 1 to 1000 tags that its versions have; required
 */
public record RemoveTags(@Nullable String name, @Nullable List<String> tags) {}
