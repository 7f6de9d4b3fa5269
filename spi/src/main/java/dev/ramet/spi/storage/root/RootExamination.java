// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage.root;

import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.spi.storage.StorageInspection;

/**
 * Opens roots for inspection while no host uses them, such as those of a host that does not start.
 * A {@link StorageBackendProvider} that supports this implements it. Thread-safe.
 */
public interface RootExamination {
  /**
   * Opens a root as it is. Unlike {@link StorageBackendProvider#open} it creates no root, neither
   * finishes nor undoes what a crash left, and changes nothing, so it works on a file system
   * mounted read-only. The inspection reports missing or damaged parts wherever that is possible.
   * Nobody else can open the root meanwhile.
   *
   * @return a backend with {@link StorageInspection}. Callers use only its nodes and their usage,
   *     and {@code delete} to remove leftovers; it may refuse everything else ({@code UNSUPPORTED})
   * @throws dev.ramet.errors.RametException {@code CONFLICT} if another backend created the root or
   *     another process has it open, {@code CORRUPT} if its creator cannot be determined, {@code
   *     HOST_UNFIT} if it cannot be examined on this host
   */
  StorageBackend examine(ProbeContext where);
}
