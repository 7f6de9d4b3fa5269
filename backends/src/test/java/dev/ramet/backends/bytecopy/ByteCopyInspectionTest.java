// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.bytecopy;

import dev.ramet.backends.testing.InspectionContract;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.testing.LoopFs;
import java.nio.file.Path;

class ByteCopyInspectionTest extends InspectionContract {
  @Override
  protected StorageBackendProvider provider() {
    return new ByteCopyProvider();
  }

  @Override
  protected LoopFs fileSystem(Path directory) {
    return LoopFs.ext4(directory, 64 << 20);
  }
}
