// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

import org.jspecify.annotations.Nullable;

/**
 * A new name of a sandbox: the body of {@code PUT /sandboxes/{id}/name}. Immutable and thread-safe.
 *
 * @param name a name that no other sandbox of the host has, 1 to 57 characters of a-z 0-9 -; empty
 *     for no name; required
 */
public record SandboxName(@Nullable String name) {}
