// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.btrfs;

import dev.ramet.backends.testing.LoopHarness;
import dev.ramet.tck.StorageBackendTck;
import dev.ramet.tck.storage.StepControl;
import dev.ramet.tck.storage.StorageHarness;
import dev.ramet.testing.LoopFs;
import java.nio.file.Path;

class BtrfsTest extends StorageBackendTck {
  @Override
  protected StorageHarness harness(Path scratch) {
    LoopFs fs = LoopFs.btrfs(scratch, 256 << 20);
    StepControl steps = observer -> BtrfsProvider.open(fs.root(), observer::before);
    return LoopHarness.of(fs, new BtrfsProvider(), steps);
  }
}
