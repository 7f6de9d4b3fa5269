// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.volume;

import org.jspecify.annotations.Nullable;

/**
 * A volume and its mount point in a sandbox. Immutable and thread-safe.
 *
 * @param name the volume's name or, in a request, its id; required
 * @param path absolute path of the directory in the guest, created if it does not exist; required
 */
public record VolumeMountInfo(@Nullable String name, @Nullable String path) {}
