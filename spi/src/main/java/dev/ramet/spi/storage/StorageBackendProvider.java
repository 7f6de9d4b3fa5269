// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

import dev.ramet.spi.Provider;

/** Service type for storage backend plugins. */
public interface StorageBackendProvider extends Provider<StorageBackend> {
  @Override
  StorageFacts atBest();
}
