// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference.remote;

import dev.ramet.tck.StorageBackendTck;
import dev.ramet.tck.storage.StorageHarness;
import java.io.IOException;
import java.nio.file.Path;

/** Tests the reference backend whose images are elsewhere, through its NBD server. */
class RemoteReferenceTest extends StorageBackendTck {
  @Override
  protected StorageHarness harness(Path scratch) throws IOException {
    return new RemoteHarness(scratch).start();
  }
}
