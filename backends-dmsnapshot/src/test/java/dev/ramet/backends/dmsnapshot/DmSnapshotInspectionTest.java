// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import dev.ramet.backends.testing.InspectionContract;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.testing.Features;
import dev.ramet.testing.LoopFs;
import java.nio.file.Path;

/** Checks the findings that the backend reports and repairs in open and examined roots. */
class DmSnapshotInspectionTest extends InspectionContract {
  @Override
  protected StorageBackendProvider provider() {
    return new DmSnapshotProvider();
  }

  @Override
  protected LoopFs fileSystem(Path directory) {
    Features.deviceMapper();
    return LoopFs.ext4(directory, 512 << 20);
  }
}
