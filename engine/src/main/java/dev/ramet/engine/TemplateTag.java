// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.time.Instant;

/**
 * What tells a version of a template from the others of its name.
 *
 * @param tag the tag
 * @param templateId id of the version that has it
 * @param assignedAt since when
 */
public record TemplateTag(String tag, String templateId, Instant assignedAt) {}
