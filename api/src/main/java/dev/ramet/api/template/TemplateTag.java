// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.template;

/**
 * A tag, which distinguishes a version of a template from the others of its name. Immutable and
 * thread-safe.
 *
 * @param tag the tag
 * @param buildID id of the version that has it; accepted wherever a template's id is
 * @param createdAt when the version got the tag: RFC 3339 in UTC
 */
public record TemplateTag(String tag, String buildID, String createdAt) {}
