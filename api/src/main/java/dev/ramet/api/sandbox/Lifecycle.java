// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

import org.jspecify.annotations.Nullable;

/**
 * The action taken when a sandbox's timeout expires. Immutable and thread-safe.
 *
 * @param onTimeout {@code kill} or {@code pause}; in a request, null means {@code kill}
 * @param autoResume whether a request to the paused sandbox resumes it; in a request, null means no
 */
public record Lifecycle(@Nullable String onTimeout, @Nullable Boolean autoResume) {}
