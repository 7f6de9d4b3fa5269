// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.template;

/**
 * What tells a version of a template from the others of its name. Immutable and thread-safe.
 *
 * @param tag the tag
 * @param buildID id of the version that has it; it can stand wherever a template's id can
 * @param createdAt when it got it: RFC 3339 in UTC
 */
public record TemplateTag(String tag, String buildID, String createdAt) {}
