// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.volume;

import org.jspecify.annotations.Nullable;

/**
 * A volume and where a sandbox sees it. Immutable and thread-safe.
 *
 * @param name the volume's name; in a request, its id will do; required
 * @param path absolute path of the directory in the guest, made when it is not there; required
 */
public record VolumeMountInfo(@Nullable String name, @Nullable String path) {}
