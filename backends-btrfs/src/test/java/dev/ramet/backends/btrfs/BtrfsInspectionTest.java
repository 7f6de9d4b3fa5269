// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.btrfs;

import dev.ramet.backends.testing.InspectionContract;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.testing.LoopFs;
import java.nio.file.Path;

class BtrfsInspectionTest extends InspectionContract {
  @Override
  protected StorageBackendProvider provider() {
    return new BtrfsProvider();
  }

  @Override
  protected LoopFs fileSystem(Path directory) {
    return LoopFs.btrfs(directory, 256 << 20);
  }
}
