// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import dev.ramet.backends.testing.PowerLossContract;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.testing.Features;
import dev.ramet.testing.LoopFs;
import java.nio.file.Path;

/** Checks that durable nodes and their content survive a loss of power. */
class DmSnapshotPowerLossTest extends PowerLossContract {
  @Override
  protected StorageBackendProvider provider() {
    return new DmSnapshotProvider();
  }

  @Override
  protected LoopFs fileSystem(Path directory) {
    Features.deviceMapper();
    return LoopFs.ext4(directory, 192 << 20);
  }
}
