// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.template;

import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /templates}. Immutable and thread-safe.
 *
 * @param recipe the recipe's name; required
 * @param name the template's name, {@code [A-Za-z0-9._-]{1,64}}, optionally followed by a colon and
 *     a tag of the same form; null for the recipe's
 * @param cpuCount virtual CPUs, 1 to 32, or null for the recipe's
 * @param memoryMB guest memory in MiB, at least 64 and no more than the host has, or null for the
 *     recipe's
 * @param diskSizeMB virtual size of the disk in MiB, or null for the recipe's
 */
public record BuildTemplateRequest(
    @Nullable String recipe,
    @Nullable String name,
    @Nullable Integer cpuCount,
    @Nullable Integer memoryMB,
    @Nullable Integer diskSizeMB) {}
