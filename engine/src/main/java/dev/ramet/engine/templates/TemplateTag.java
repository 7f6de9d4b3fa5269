// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.templates;

import java.time.Instant;

/**
 * The assignment of a tag to one version of a template.
 *
 * @param tag the tag
 * @param templateId id of the version that has it
 * @param assignedAt when the tag was assigned
 */
public record TemplateTag(String tag, String templateId, Instant assignedAt) {}
