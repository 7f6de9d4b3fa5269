// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

import dev.ramet.spi.ProbeContext;

/**
 * Opens roots to be looked through while no host has them, such as those of a host that does not
 * start. A {@link StorageBackendProvider} that can do it implements this. Thread-safe.
 */
public interface RootExamination {
  /**
   * Opens a root as it is. Unlike {@link StorageBackendProvider#open} it makes no root, neither
   * finishes nor undoes what a crash left, and changes nothing: it works on a file system that is
   * mounted read-only. What is missing or damaged is found by the inspection wherever that is
   * possible. Nobody else can open the root meanwhile.
   *
   * @return a backend with {@link StorageInspection}, of which only the nodes and their usage are
   *     asked, and {@code delete} when leftovers are to go; it may refuse ({@code UNSUPPORTED})
   *     everything else
   * @throws dev.ramet.errors.RametException {@code CONFLICT} when another backend made the root or
   *     another process has it open, {@code CORRUPT} when it cannot be told who made it, {@code
   *     HOST_UNFIT} when it cannot be looked at here
   */
  StorageBackend examine(ProbeContext where);
}
