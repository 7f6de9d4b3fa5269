// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import org.jspecify.annotations.Nullable;

/**
 * The size that a caller wants for a machine; null keeps the size of its source, or the default.
 *
 * @param cpuCount virtual CPUs, or null
 * @param memoryBytes guest memory, or null
 * @param diskBytes virtual size of the disk, or null
 */
public record WantedShape(
    @Nullable Integer cpuCount, @Nullable Long memoryBytes, @Nullable Long diskBytes) {
  /** Keeps all sizes. */
  public static final WantedShape ANY = new WantedShape(null, null, null);
}
