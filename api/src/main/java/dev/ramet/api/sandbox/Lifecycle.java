// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

import org.jspecify.annotations.Nullable;

/**
 * What becomes of a sandbox at its end. Immutable and thread-safe.
 *
 * @param onTimeout {@code kill} or {@code pause}; null in a request for {@code kill}
 * @param autoResume whether a request to the paused sandbox wakes it; null in a request for no
 */
public record Lifecycle(@Nullable String onTimeout, @Nullable Boolean autoResume) {}
