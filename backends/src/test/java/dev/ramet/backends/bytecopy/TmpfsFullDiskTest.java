// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.bytecopy;

import dev.ramet.backends.testing.FullDiskContract;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.testing.LoopFs;
import java.nio.file.Path;

class TmpfsFullDiskTest extends FullDiskContract {
  @Override
  protected StorageBackendProvider provider() {
    return new ByteCopyProvider();
  }

  @Override
  protected LoopFs fileSystem(Path directory) {
    return LoopFs.tmpfs(directory, 64 << 20);
  }

  @Override
  protected boolean copiesNeedSpace() {
    return true;
  }
}
