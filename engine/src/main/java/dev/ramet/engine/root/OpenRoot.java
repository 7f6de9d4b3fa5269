// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.root;

import dev.ramet.spi.storage.StorageBackend;
import java.nio.file.Path;

/**
 * A data root and its opened storage backend.
 *
 * @param root the root
 * @param storage the storage backend opened on it
 */
public record OpenRoot(RootOpener.Root root, StorageBackend storage) {
  public Path path() {
    return root.layout().root();
  }
}
