// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.templates;

import org.jspecify.annotations.Nullable;

/**
 * A request to build a template from a recipe.
 *
 * @param recipe the recipe's name
 * @param name the template's name, optionally followed by a colon and a tag
 * @param cpuCount virtual CPUs, or null for the recipe's
 * @param memoryBytes guest memory, or null for the recipe's
 * @param diskBytes virtual size of the disk, or null for the recipe's
 */
public record BuildTemplate(
    String recipe,
    String name,
    @Nullable Integer cpuCount,
    @Nullable Long memoryBytes,
    @Nullable Long diskBytes) {}
