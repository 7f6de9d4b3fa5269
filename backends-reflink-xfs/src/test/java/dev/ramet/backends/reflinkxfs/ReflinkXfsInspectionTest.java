// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.reflinkxfs;

import dev.ramet.backends.testing.InspectionContract;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.testing.LoopFs;
import java.nio.file.Path;

class ReflinkXfsInspectionTest extends InspectionContract {
  @Override
  protected StorageBackendProvider provider() {
    return new ReflinkXfsProvider();
  }

  @Override
  protected LoopFs fileSystem(Path directory) {
    return LoopFs.xfs(directory, 320 << 20);
  }
}
