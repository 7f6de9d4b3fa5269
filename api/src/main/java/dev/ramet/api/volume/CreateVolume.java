// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.volume;

import org.jspecify.annotations.Nullable;

/**
 * A request for a volume: the body of {@code POST /volumes}. Immutable and thread-safe.
 *
 * @param name 1 to 64 characters of A-Z a-z 0-9 . _ -, that no other volume has; required
 */
public record CreateVolume(@Nullable String name) {}
