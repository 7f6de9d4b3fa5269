// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.tck.StorageBackendTck;
import dev.ramet.tck.storage.StorageHarness;
import java.nio.file.Path;

/** The reference model keeps the contract. */
class ReferenceTest extends StorageBackendTck {
  @Override
  protected StorageHarness harness(Path scratch) {
    return new ReferenceHarness(scratch);
  }
}
