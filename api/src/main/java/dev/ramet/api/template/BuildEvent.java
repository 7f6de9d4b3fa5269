// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.template;

import dev.ramet.api.operation.ApiError;
import org.jspecify.annotations.Nullable;

/**
 * One line of the progress a template build or import answers as {@code application/x-ndjson}:
 * exactly one of the three is there, and the last line is a template or an error. Immutable and
 * thread-safe.
 *
 * @param step what begins now
 * @param template the template, done
 * @param error why it could not be made
 */
public record BuildEvent(
    @Nullable String step, @Nullable TemplateInfo template, @Nullable ApiError error) {}
