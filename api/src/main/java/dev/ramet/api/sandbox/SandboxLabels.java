// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A change of a sandbox's labels: the body of {@code POST /sandboxes/{id}/metadata}. Other labels
 * stay. Immutable and thread-safe if its collections are.
 *
 * @param metadata the labels to set, or null for none
 * @param remove the keys of the labels to remove, or null for none
 */
public record SandboxLabels(
    @Nullable Map<String, String> metadata, @Nullable List<@Nullable String> remove) {}
