// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api;

/**
 * What becomes of a sandbox at its end. Immutable and thread-safe.
 *
 * @param onTimeout {@code kill} or {@code pause}
 * @param autoResume whether a request to the paused sandbox wakes it
 */
public record Lifecycle(String onTimeout, boolean autoResume) {}
