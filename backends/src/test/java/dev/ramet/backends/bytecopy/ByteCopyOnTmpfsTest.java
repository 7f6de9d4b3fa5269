// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.bytecopy;

import dev.ramet.backends.ReusingBackend;
import dev.ramet.backends.copy.SparseCopy;
import dev.ramet.backends.testing.LoopHarness;
import dev.ramet.tck.StorageBackendTck;
import dev.ramet.tck.storage.StepControl;
import dev.ramet.tck.storage.StorageHarness;
import dev.ramet.testing.LoopFs;
import java.nio.file.Path;

class ByteCopyOnTmpfsTest extends StorageBackendTck {
  @Override
  protected StorageHarness harness(Path scratch) {
    LoopFs fs = LoopFs.tmpfs(scratch, 96 << 20);
    StepControl steps =
        observer ->
            ReusingBackend.open(fs.root(), "byte-copy", 1, new SparseCopy(), observer::before);
    return LoopHarness.of(fs, new ByteCopyProvider(), steps);
  }
}
