// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.template;

import dev.ramet.api.operation.ApiError;
import org.jspecify.annotations.Nullable;

/**
 * One line of the {@code application/x-ndjson} progress of a template build or import: exactly one
 * of the three components is set, and the last line is a template or an error. Immutable and
 * thread-safe.
 *
 * @param step the step that begins now
 * @param template the finished template
 * @param error why it could not be built
 */
public record BuildEvent(
    @Nullable String step, @Nullable TemplateInfo template, @Nullable ApiError error) {}
